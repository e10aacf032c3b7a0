package scanner

import (
	"context"

	"tcode/scanner/gray"
)

// SetReader replaces ReadImage in documents that s reads from then on.
func (s *Scanner) SetReader(read func(context.Context, *gray.Image, Options) Reading) { s.read = read }

// ReadExact reads a symbol that fills box.
var ReadExact = readExact
