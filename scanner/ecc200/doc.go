// Package ecc200 implements the Data Matrix ECC 200 symbol (ISO/IEC 16022, with the rectangles of ISO/IEC 21471):
// its sizes, its fixed modules, the place of each codeword bit, its Reed-Solomon code and the text of its codewords.
// Call [Encode] to draw a symbol, [Decode] and [Text] to read one.
//
//	modules ─▶ placement ─▶ codewords ─▶ Reed-Solomon ─▶ codewords ─▶ Text
//	 Grid       Annex F      + doubts     errors, then     proven       │
//	   ▲                                  erasures           │        string
//	   └──────────── agreement of the re-encoded symbol ◀────┘
//
// [Decode] never guesses: codewords count only if every block is proven with redundancy to
// spare and the symbol that they encode agrees with the modules that were seen. The
// package is pure and also runs in the browser.
package ecc200
