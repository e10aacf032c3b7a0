// Package still reads a picture of many pixels with little memory, as the scanner on the command line does. Call [Read].
//
//	Picture ─▶ all of it, reduced to 4.5 million px ─▶ symbol.ReadImage ─▶ symbols ─▶ Result
//	   │                                                      │
//	   │                                                  none, and it was reduced
//	   │                                                      ▼
//	   └────▶ overlapping parts of 2.25 million px each ─▶ symbol.ReadImage ─▶ symbol.Together ─▶ Result
//
// The picture itself stays where it was decoded: in a browser, outside of the engine's memory. The package holds one part at a
// time. A symbol is larger than the overlap of parts, a third of their sides, only if it is large in the reduced picture too.
package still
