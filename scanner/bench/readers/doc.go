// Package readers runs our reader and other readers on the same images and returns the
// text and the cost of each. [OwnReader] is the simplest.
//
//	                 ┌▶ own       symbol.ReadImage, this process
//	gzipped PGM ─────┼▶ gozxing   whole page, both binarizers, this process
//	(the time starts ├▶ wasm      zxing-wasm in one node process
//	after gunzip)    ├▶ native    ZXingReader, one process each
//	                 └▶ dmtx      dmtxread, one process each
//	                        │
//	                        ▼
//	                     Result: bytes, CPU, wall
//
// The figures of own, gozxing and wasm do not include decompressing and decoding the file.
// Those of native and dmtx include the whole process, with its start and the file.
package readers
