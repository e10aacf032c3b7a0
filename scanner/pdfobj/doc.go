// Package pdfobj finds the objects of a PDF in two ways: everywhere in the bytes, and at
// the places that the cross-reference names. Call [Open] first.
//
//	file ─▶ every "obj" in the bytes ─▶ value ─▶ Object
//	                                      │
//	                     object stream ───┴─▶ inflate ─▶ its objects
//	startxref ─▶ sections ─▶ entries ─▶ File.Object
//
// [File.Scan] looks for dangers in all revisions, in objects without a reference, and in
// objects inside of streams, since a damaged cross-reference leads programs to any of
// them.
//
// If the cross-reference and the objects of a file are exact (ISO 32000-2, 7.5),
// all programs show the same objects. [Survey.Odd] says why a file is not exact.
// It ignores objects that the cross-reference does not name, unless a program
// that makes a cross-reference of its own would use them: such programs use the
// last object of each number. Two deviations occur in files that poppler, MuPDF,
// PDFium and pdf.js all show alike, and are accepted: entries of 19 bytes, if no
// object stands in the file twice, and wrong entries of objects without a
// reference.
//
// The parser is lenient, because viewers are: of a broken object it returns the part that
// could be read. The work is bounded by a small multiple of the length of the file, and
// [Survey] says which parts could not be read.
package pdfobj
