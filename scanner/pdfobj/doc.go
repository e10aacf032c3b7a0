// Package pdfobj finds the objects of a PDF without asking its
// cross-reference where they lie.
//
//	file ─▶ every "obj" in the bytes ─▶ value ─▶ Object
//	                                      │
//	                     object stream ───┴─▶ inflate ─▶ its objects
//
// A cross-reference says what one program shows; two of them, a damaged one or
// one that points into a stream make two programs show two documents. What
// looks for dangers therefore looks at whatever any program may come across:
// all revisions, objects nobody refers to, and objects inside of streams.
//
// The parser is lenient, because viewers are: of a broken object the part that
// could be read is handed out. The work is bounded by a small multiple of the
// length of the file, and what could not be looked at is said ([Survey]).
package pdfobj
