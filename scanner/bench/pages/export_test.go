package pages

// AnnexF is the placement of the ideal grid, written apart from the reader's.
var AnnexF = annexF

// Correctable tells what plain Reed-Solomon makes of modules.
var Correctable = correctable
