// Package scanner turns a document into the Data Matrix symbols on it.
//
//	file ─▶ raster ─▶ gray page ─▶ locate ─▶ module grid ─▶ ecc200 ─▶ text
//	bytes   sandbox    gray.Image   boxes,     confidences   Reed-      │
//	                                sides,                   Solomon    ▼
//	                                sizes                             Symbol
//
// [ReadImage] is the reader of one gray page or photo; it needs no file, no
// process and no network. [Scanner] reads whole documents: it renders their
// pages in a sandboxed child process and hands each page to ReadImage. [Bind]
// says whether a symbol belongs to the file it was read from.
//
// A wrong text is worse than none: a symbol is returned only when Reed-Solomon
// proves its codewords and the symbol they encode to agrees with what was seen.
package scanner
