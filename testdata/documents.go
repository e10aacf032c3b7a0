package testdata

import "embed"

// Documents are PDFs that the project made itself, in the folder documents;
// its README.md gives the reason for each.
//
//go:embed documents/*.pdf
var Documents embed.FS
