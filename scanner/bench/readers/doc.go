// Package readers runs our reader and those of others on the same images and
// tells what each read and what it cost.
//
//	                 ┌▶ own       symbol.ReadImage, this process
//	gzipped PGM ─────┼▶ gozxing   whole page, both binarizers, this process
//	(what was timed  ├▶ wasm      zxing-wasm in one node process
//	is the PGM)      └▶ dmtx      dmtxread, one process each
//	                        │
//	                        ▼
//	                     Result: bytes, CPU, wall
//
// Decompressing and decoding the file is never in the figures of own, gozxing
// and wasm. Those of dmtx are of the whole process, start and file included.
package readers
