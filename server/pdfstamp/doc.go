// Package pdfstamp stamps a PDF by appending a revision to it
// (server/README.md, "How a PDF is stamped"). The original bytes are never touched: whatever was signed, tagged or
// filled in stays as it is, and the stamped file begins with the file that came
// in.
//
//	parent                                   child (sandbox, no keys)
//	──────                                   ────────────────────────
//	Append: pdf, placement, reference, side ▶ document: xref, page tree, contents
//	                                          boxes: visible page, symbol, caption
//	                                          collisions: fields, annotations
//	   file + revision, hole empty         ◀─ revision: image, font, page copy, xref section
//	   binding.Fingerprint
//	   seal(fingerprint) ─▶ text             (signing happens with the caller)
//	   Symbol(text) ─▶ SymbolStream ─▶ hole
//
//	Survey: the same                       ─▶ document, boxes, collisions at each anchor
//	   options, nearest first              ◀─
//
// The layout needs only the side of the symbol, so that everything but the
// hole is fixed before the fingerprint is taken. The same input, placement and
// reference give the same bytes.
//
// One box contains all parts of a stamp. It is upright as the page is shown, and a
// placement may turn it as a whole. The symbol is one image mask of 4 pixels a
// module (package binding). Drawn between device pixels by poppler 22.12, MuPDF
// 1.21, PDFium and pdf.js 4.10 in Chromium, zxing-wasm reads all of 12 places and
// turns in each of them from 150 dpi on, our reader from 100 (one missed, turned,
// in poppler); as a path of rectangles the same symbols do no better at 150 (two
// missed) and take half as many bytes again. Poppler alone does not smooth an
// image that is turned, so a symbol that stands upright is drawn best.
//
// A revision keeps these properties of the file that it is appended to:
//
//	cross-reference   a section of the kind the file ends with; where the file's own
//	                  are damaged, a whole one with the objects that viewers had to guess,
//	                  or none where only their guess makes streams end where they do
//	contents          listed as they are, by the same references, never edited and
//	                  never copied: between q and the stamp with the operators that
//	                  close their open states, or behind the stamp where they are
//	                  damaged, so that nothing of ours depends on them
//	names             a stamp's resources are named by its reference, which no file
//	                  can foresee
//	encryption        kept: streams and strings as the file demands, the symbol's
//	                  stream too, and the mark names the key of that one stream
//	                  (offline/binding/FORMAT.md section 7). The Identity crypt
//	                  filter would leave it raw, but PDFium, pdf.js and Ghostscript
//	                  draw such a stream as noise
//	permissions       respected: those of the encryption, DocMDP, a signature's lock
//	metadata, tags    not touched; the second file identifier is new
//
// The reader is lazy: it follows the cross-reference sections and parses the
// objects on the way to the page, nothing else. It works on the mapped file and
// drops the parts it has read, so that a child does not grow with the file; the
// parent reads it once, in pieces, to hash it. Every loop has a bound in
// limits, because files are chosen by strangers.
package pdfstamp
