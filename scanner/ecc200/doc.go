// Package ecc200 knows what a Data Matrix ECC 200 symbol is made of
// (ISO/IEC 16022, its further rectangles ISO/IEC 21471): its sizes, its fixed modules, where each codeword bit lies,
// its Reed-Solomon code and the text its codewords say.
//
//	modules ─▶ placement ─▶ codewords ─▶ Reed-Solomon ─▶ codewords ─▶ Text
//	 Grid       Annex F      + doubts     errors, then     proven       │
//	   ▲                                  erasures           │        string
//	   └──────────── agreement of the re-encoded symbol ◀────┘
//
// [Decode] never guesses: codewords count only if every block is proven with
// redundancy to spare and the symbol they encode to agrees with the modules
// that were seen. The package is pure and also runs in the browser.
package ecc200
