// Package locate finds Data Matrix symbols on a page or photo and the place of each of
// their modules. Call [Finder.Boxes] first, or [Finder.Search] if the box is known.
//
//	image ─▶ Boxes ─▶ box ─▶ Search ─▶ Candidate ─▶ Refine ─▶ Sample ─▶ grid
//	         texture,        lines of    size and    score      gray,
//	         components      long edges, corners     on all     several
//	         (order only)    L corners               fixed      taps
//	                                                 modules
//
// The package does not trace sides. It scores every line of a box by the edges on it, so
// that a pen stroke or a gap reduces the score of a side only by its share. The two bars
// of the finder pattern (the L) meet in a corner. The timing tracks opposite are searched
// for around the ends of the bars, and each symbol size is scored on the modules that are
// the same in all symbols of that size.
//
// Symbols that stay unread get a second look with more expensive means: [Flatten] gives a
// box the same contrast everywhere, [Finder.Bend] fits curves to the sides, [Equalize]
// undoes blur among the sampled modules, [Finder.SearchTilted] looks for a symbol that a
// camera saw at a slant.
//
// The package is pure: it uses no file and no goroutine, and also runs in the browser.
package locate
