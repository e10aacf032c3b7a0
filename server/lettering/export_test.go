package lettering

// TextForTest returns the text of g.
func TextForTest(g Glyph) string { return g.text }

// IDForTest returns g's number in the whole font.
func IDForTest(g Glyph) uint16 { return g.id }
