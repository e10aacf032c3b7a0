// Package pdfobj finds the objects of a PDF twice: wherever they stand in the
// bytes, and where the cross-reference says that they stand.
//
//	file ─▶ every "obj" in the bytes ─▶ value ─▶ Object
//	                                      │
//	                     object stream ───┴─▶ inflate ─▶ its objects
//	startxref ─▶ sections ─▶ entries ─▶ File.Object
//
// [File.Scan] looks for dangers in all revisions, in objects to which nothing
// refers, and in objects inside of streams, since a damaged cross-reference makes
// programs come across any of them.
//
// A file whose cross-reference is exact (ISO 32000-2, 7.5), and whose objects are,
// shows the same objects in all programs. [Survey.Odd] says why a file is not
// like that. Objects that the cross-reference does not name are left out of that
// look, unless a program that makes a cross-reference of its own would take them:
// such programs use the last object of each number. Two deviations were found in
// files that all of poppler, MuPDF, PDFium and pdf.js show alike, and are accepted:
// entries of 19 bytes, if no object stands in the file twice, and wrong entries of
// objects that nothing refers to.
//
// The parser is lenient, because viewers are: of a broken object the part that
// could be read is handed out. The work is bounded by a small multiple of the
// length of the file, and what could not be looked at is said ([Survey]).
package pdfobj
