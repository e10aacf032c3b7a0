// Package scanner turns a document into the Data Matrix symbols on it.
//
//	file ─▶ raster ─▶ gray page ─▶ symbol.ReadImage ─▶ Page: symbols, or a reason
//	bytes   sandbox    gray.Image                        │
//	                                                     ▼
//	                                                 Binder: is this the file that was stamped?
//
// [New] returns a [Scanner], which reads whole documents: it renders their pages in
// a sandboxed child process and hands each page to package symbol. [Bind] says
// whether a symbol belongs to the file it was read from.
package scanner
