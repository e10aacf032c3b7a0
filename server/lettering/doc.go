// Package lettering sets short lines of text in the one font that captions
// have, and cuts from it the part that a document must carry to show them.
//
//	text ─▶ Shape: order, joining, marks, kerning ─▶ Line: glyphs, each at its place
//	          │ a character the font lacks              │
//	          ▼                                         ▼
//	     MissingError                     Subset.Code ─▶ Subset.Font: TrueType
//
// The font is DejaVu Sans: Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic,
// Georgian, Lao and some more, without those of India and East Asia. Whatever it
// has is shaped as OpenType says, so a line is either right or refused.
//
// The same text always gives the same glyphs and the same bytes.
package lettering
