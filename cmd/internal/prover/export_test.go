package prover

// OwnFonts asks a child for the pages with fonts of their own.
var OwnFonts = (*Prover).ownFonts
