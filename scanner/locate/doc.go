// Package locate finds Data Matrix symbols on a page or photo and the place of each of
// their modules. Call [Finder.Boxes] first, or [Finder.Search] if the box is known.
//
//	image ─▶ Boxes ─▶ box ─▶ Plausible ─▶ Search ─▶ Candidate ─▶ Refine ─▶ Sample ─▶ grid
//	         texture,        a corner     lines of    size and    score      gray,
//	         components      at a small   long edges, corners     on all     several
//	                         size         L corners               fixed      taps
//	                                                              modules
//
// Most boxes of most pictures hold no symbol. [Finder.Plausible] tells so at a small fraction
// of the cost of a search: it looks at 110 px or less for two long edges that meet in a
// corner, the sides across from them, and changes everywhere between.
//
// The package does not trace sides. It scores every line of a box by the edges on it, so
// that a pen stroke or a gap reduces the score of a side only by its share. The two bars
// of the finder pattern (the L) meet in a corner. The timing tracks opposite are searched
// for around the ends of the bars, and each symbol size is scored on the modules that are
// the same in all symbols of that size.
//
// Symbols that stay unread get a second look with more expensive means: [Flatten] gives a
// box the same contrast everywhere, [Finder.Mesh] follows the grid of modules wherever the
// paper bends, [Finder.Bend] fits curves to the sides, [Equalize] undoes blur among the
// sampled modules, [Finder.SearchTilted] looks for a symbol that a camera saw at a slant.
//
// A mesh needs no sides at all. The edges of modules lie on the lines of a grid. A lattice
// finds its two frequencies in a window of a few modules, and their phases say where the
// lines are. The mesh grows from there, node by node, and the symbol is then the place on
// the grid at which the fixed modules fit:
//
//	box ─▶ start ─▶ grow ─▶ refine ─▶ complete ─▶ symbols
//	       two       nodes    smaller   gaps, and    all sizes, turns
//	       pitches   of the   windows   the quiet    and mirror images
//	                 grid               zone
//
// The package is pure: it uses no file and no goroutine, and also runs in the browser.
package locate
