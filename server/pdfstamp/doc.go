// Package pdfstamp stamps a PDF by appending a revision to it (DESIGN section
// 5). The original bytes are never touched: whatever was signed, tagged or
// filled in stays as it is, and the stamped file begins with the file that came
// in.
//
//	parent                                   child (sandbox, no keys)
//	──────                                   ────────────────────────
//	Stamp: pdf, placement, reference, side ─▶ document: xref, page tree, contents
//	                                          geometry: visible page, box
//	   file + revision, hole empty         ◀─ revision: image, page copy, xref section
//	   binding.Fingerprint
//	   seal(fingerprint) ─▶ text             (signing happens with the caller)
//	   Symbol(text) ─▶ SymbolStream ─▶ hole
//
// The layout needs only the side of the symbol, so that everything but the
// hole is fixed before the fingerprint is taken. The same input, placement and
// reference give the same bytes.
//
// The reader is lazy: it follows the cross-reference sections and parses the
// objects on the way to the page, nothing else. Every loop has a bound in
// limits, because files are chosen by strangers.
package pdfstamp
