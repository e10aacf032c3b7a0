// Package restamp proves from bytes that the part appended to a stamped PDF is one more
// TCode stamp and nothing else. Call [Prove].
//
//	file[:from]   stamped before
//	file[from:to] image with the mark │ streams │ copies of pages │ cross-reference
//
// A scanner trusts an issuer only about its own stamp. A later stamp must not affect an
// earlier one, so its revision must hold nothing that could show anything but the stamp.
// The package compares it with the forms that the stamper writes, byte for byte where
// they leave no choice. Any part that it does not recognise is not proven, however
// harmless: a caption, for instance, is text in a font of its own, and could say
// anything.
//
// The proof does not cover the place of the stamp. The caller draws the pages before and
// after, to check that the stamp covers nothing.
package restamp
