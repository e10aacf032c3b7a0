// Package pdfcrypt is the standard security handler of PDF for files that open
// with the empty password (ISO 32000-2, 7.6; Adobe's supplement to ISO 32000-1
// for revision 5). The stamper and the scanner share it, so that the scanner
// reads the same content as the stamper.
//
// Start with [Dict.Open]: a caller fills a [Dict] from the encryption
// dictionary and opens it:
//
//	key, owner := d.Open()                  // nil: a password is needed
//	k := pdfcrypt.AES128.ObjectKey(key, 7, 0)
//	data, err := pdfcrypt.AES128.Decrypt(k, stream)
//
// It parses no PDF and keeps no state. Its work is bounded: a revision 6 hash
// takes about a millisecond, everything else microseconds.
package pdfcrypt
