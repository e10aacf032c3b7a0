// Package lettering sets short lines of text in the one font of captions, and extracts the
// part of the font that a document needs. Call [Shape] first.
//
//	text ─▶ Shape: order, joining, marks, kerning ─▶ Line: glyphs, each at its place
//	          │ a character the font lacks              │
//	          ▼                                         ▼
//	     MissingError                     Subset.Code ─▶ Subset.Font: TrueType
//
// The font is DejaVu Sans: Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic, Georgian, Lao
// and some more, without the scripts of India and East Asia. Its scripts are shaped
// according to OpenType, so a line is either right or refused.
//
// The same text always gives the same glyphs and the same bytes.
package lettering
