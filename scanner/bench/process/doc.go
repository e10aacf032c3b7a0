// Command process measures whole processes: our program and zxing-cpp's own, each started for one picture, in one run.
//
//	go run ./scanner/bench/process             # pictures without a symbol: processor time and its ratio
//	go run ./scanner/bench/process --busy 8    # pictures that are lost while 8 processes are busy
//
//	pictures (of TCODE_CORPUS, or made) ─┬▶ tcode-scan read FILE ─┐
//	                                     └▶ ZXingReader FILE ─────┴▶ user and system time ─▶ medians, ratio
//
// The time includes all that one picture costs: the start of the program and of its child, the decoding of the file and the
// search. The command builds tcode-scan, and needs ZXingReader (Debian: zxing-cpp-tools). With --busy it needs TCODE_CORPUS
// and reads its images twice, on the machine as it is and with busy processes.
package main
