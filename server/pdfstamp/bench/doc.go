// Command bench measures stamping: our stamping and that of other tools, over the same
// files in one run.
//
//	go run ./server/pdfstamp/bench            all files of the corpus, all tools
//	go run ./server/pdfstamp/bench --files 20 --pixels 5 --only tcode,qpdf
//
//	files ─▶ tool (a process) ─▶ stamped files ─▶ judge: bytes, signatures, pixels, symbol
//	   └───▶ tool, one pass and many ─▶ CPU and memory of its processes
//
// The tools put the same picture of a symbol into the bottom right corner of the
// last page: our stamping as a library, parsing in a sandboxed child, signature
// and drawn symbol included and the reading back left out; pdfcpu's
// AddWatermarks and pdf-lib as libraries in a warm process; qpdf --overlay and
// mutool with a script as one process a file, which is their usual use.
//
// CPU is user and system time of all processes of a tool. For libraries it is the
// cost of many passes less that of one, over the files that every tool stamps, so
// that start and warm-up do not count; for commands it is the process.
//
// Memory is the maximum of all processes of a tool: the sum of the largest resident
// sets of our parent and its child, with the file that the child maps, and the
// resident set of each other tool. Our two processes share the memory of the program,
// which counts once; the column of resident sets counts it in each.
//
// Ours goes from file to file, pdfcpu by way of memory. The large file also goes
// the other way: pdfcpu from file to file, where it is smallest, and ours as in
// the gateway, from the pieces in which a request comes to a file in the spool,
// the SHA-256 of both files included, which no other program computes. The bars compare
// tools that read a file with each other, and the gateway's way with pdfcpu in memory,
// where our files never are.
//
// It needs qpdf, mutool, pdftoppm, pdfinfo and pdfsig, node with the package of
// the folder pdflib (npm ci there), and the corpus (TCODE_CORPUS). The run builds
// the folder pdfcpu, a Go module of its own, and cmd/tcode-scan, which reads the
// symbols.
package main
