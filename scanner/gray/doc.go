// Package gray holds 8-bit gray images and the kernels of the reader: halving, integral
// images, local means, gradients and projective sampling. It knows nothing of symbols.
// Call [New] first, or set the fields of an [Image].
//
//	Image ─▶ Halve ─▶ smaller Image        (pyramid)
//	      ─▶ Integral ─▶ means of boxes    (local threshold)
//	      ─▶ Gradient ─▶ dx, dy            (sides)
//	      ─▶ Bilinear + Homography         (module grid)
//
// Kernels write into memory that the caller owns and allocate nothing, so that the cost of
// a page depends on its pixels only. The package imports neither os nor net and also runs
// in the browser.
package gray
