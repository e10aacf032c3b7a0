// Package viewfinder reads the symbol in the frames of a camera, and says how to hold the camera. Call [Viewfinder.Look]
// for each frame in turn, and [Series.Repeat] before a symbol is answered.
//
//	frame ─▶ part around the last symbol, or the whole frame ─▶ symbol.ReadImage ─▶ Look: symbols, corners, hint
//	              ▲                                                                  │
//	              └────────────────── place of what was seen ────────────────────────┘
//
// A look takes the time of one frame, which follows the pace of the machine. A page on which that is not enough is searched over several
// frames.
//
// The package judges nothing and stores nothing: a symbol that it returns was read, not verified.
package viewfinder
