package testdata

import "embed"

// Documents are PDFs that the project made itself, in the folder documents;
// its README.md says what each is for.
//
//go:embed documents/*.pdf
var Documents embed.FS
