// Package locate finds Data Matrix symbols on a page or photo and says where
// each of their modules lies.
//
//	image ─▶ Boxes ─▶ box ─▶ Search ─▶ Candidate ─▶ Refine ─▶ Sample ─▶ grid
//	         texture,        lines of    size and    score      gray,
//	         components      long edges, corners     on all     several
//	         (order only)    L corners               fixed      taps
//	                                                 modules
//
// Sides are not traced. Every line of a box is scored by the edges that lie on
// it, so that a pen stroke or a gap costs a side its share of the score and
// nothing more. The two bars of the finder pattern (the L) meet in a corner. The
// timing tracks opposite are searched for around the ends of the bars, and each
// symbol size is scored on the modules that are the same in all symbols of that size.
//
// What stays unread gets a second look by dearer means: [Flatten] gives a box the
// same contrast everywhere, [Finder.Bend] takes the sides for curves, [Equalize]
// undoes blur among the modules that were sampled, [Finder.SearchTilted] looks for
// a symbol that a camera saw at a slant.
//
// The package is pure: no file, no goroutine; it also runs in the browser.
package locate
