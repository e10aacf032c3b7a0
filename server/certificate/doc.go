// Package certificate draws the page of a Trust document that comes without a PDF. Call [Draw].
//
//	┌────────────────────────────┐
//	│ issuer                     │   values wrap; what does not fit goes on to more pages,
//	│ ══════════════════════════ │   whose head names the document
//	│ Title                      │
//	│ issued to                  │   a language that runs from right to left has all of it
//	│ Recipient                  │   the other way round, but the place of the symbol
//	│ ────────────────────────── │
//	│ label      value           │
//	│ label      value           │
//	│ ────────────────────────── │
//	│ reference, dates   ┌─────┐ │   the last page leaves the corner empty in which the
//	│ check address      │TCode│ │   default placement puts the symbol
//	└────────────────────┴─────┴─┘
//
// The same values give the same bytes. The font is that of package lettering: a value with a character that it lacks
// is refused, by name.
package certificate
