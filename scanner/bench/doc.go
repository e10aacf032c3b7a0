// Command bench measures our reader against those of others on pages like those
// that people have, in one run:
//
//	go run ./scanner/bench --pages 40 --seed 7
//
//	pages (made or from the cache) ─┐
//	                                ├▶ readers ─▶ score ─▶ tables, misses, bars
//	real images of others ──────────┘
//
// Pages are made of the PDF files of TCODE_CORPUS, or of the project's own
// documents. It needs zint and dmtx-utils to draw symbols, and for the comparison node with the packages of the folder peers (npm ci there)
// and dmtxread; --peers names those that take part. Pages are kept in a temporary
// folder per seed; what the readers of others made of them is kept too, unless
// --fresh. Times of kept results are of an earlier run: use --fresh, on a quiet
// machine, for figures of speed.
package main
