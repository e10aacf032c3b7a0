// Package restamp proves from bytes that what was appended to a stamped PDF is
// one more TCode stamp and nothing else.
//
//	file[:from]   stamped before
//	file[from:to] image with the mark │ streams │ copies of pages │ cross-reference
//
// An issuer is believed about its own stamp only. So that a later stamp does no
// harm to an earlier one, its revision must hold nothing that could show
// anything but the stamp: it is compared with the forms that the stamper writes,
// byte for byte where they leave no choice. What is not recognised is not
// proven, however harmless: a caption, for instance, is text in a font of its
// own, and could say anything.
//
// The proof says nothing about where the stamp lies. The caller draws the
// pages before and after, to see that it covers nothing.
package restamp
