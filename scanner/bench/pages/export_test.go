package pages

// AnnexF is the placement of the ideal grid, written independently of the reader's.
var AnnexF = annexF

// Correctable reports whether plain Reed-Solomon corrects the modules.
var Correctable = correctable
