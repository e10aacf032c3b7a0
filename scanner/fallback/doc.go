// Package fallback asks gozxing, a reader we did not write, for a second
// opinion on a box that our own reader could not read. It is the only importer
// of gozxing's reader.
//
//	box ─▶ gozxing, two binarizers ─▶ data codewords + corners
//	                                   (an opinion: the caller must compare the
//	                                    re-encoded symbol with what it sees)
//
// gozxing looks at the middle of an image only and reads no full page (0 of
// 540 measured); given a tight box it reads some
// symbols that are bent or badly printed. Its text is of no use: it mixes
// charsets. Its codewords are exact.
package fallback
