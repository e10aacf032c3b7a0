package scanner

import (
	"context"

	"tcode/scanner/gray"
	"tcode/scanner/symbol"
)

// SetReader replaces symbol.ReadImage in documents that s reads from then on.
func (s *Scanner) SetReader(read func(context.Context, *gray.Image, symbol.Options) symbol.Reading) {
	s.read = read
}
