// Command bench measures our reader and other readers on pages like those that people
// have, in one run:
//
//	go run ./scanner/bench --pages 40 --seed 7
//
//	pages (made or from the cache) ─┐
//	                                ├▶ readers ─▶ score ─▶ tables, misses, bars
//	real images of others ──────────┘
//
// With --photos it reads photographs of stamped pages instead (package photo), with --bent symbols on
// bent paper close up, and prints one table with all readers.
//
// The pages are made of the PDF files of TCODE_CORPUS, or of the project's own documents. The command
// needs zint and dmtx-utils to draw symbols. The comparison needs node with the packages of the folder
// peers (npm ci there) and dmtxread; --peers names the readers that take part. Pages are kept in a
// temporary folder for each seed. The results of the other readers are kept too, unless --fresh is
// given. The times of kept results come from an earlier run: use --fresh, on a quiet machine, to measure
// speed.
package main
