// Package fallback asks gozxing, an independent reader, for a second opinion on a box
// that our own reader could not read. Call [Read]. It is the only importer of gozxing's
// reader.
//
//	box ─▶ gozxing, two binarizers ─▶ data codewords + corners
//	                                   (an opinion: the caller must compare the
//	                                    re-encoded symbol with the image)
//
// gozxing reads only the middle of an image and no full page (0 of 540
// measured). In a tight box it reads some symbols that are bent or badly
// printed. Its text is not used, because it mixes charsets. Its codewords are
// exact.
//
// In a browser the package has no opinion, and links nothing of gozxing.
package fallback
