// Package gray holds 8-bit gray images and the kernels the reader is made of:
// halving, integral images, local means, gradients and projective sampling.
// It knows nothing of symbols.
//
//	Image ─▶ Halve ─▶ smaller Image        (pyramid)
//	      ─▶ Integral ─▶ means of boxes    (local threshold)
//	      ─▶ Gradient ─▶ dx, dy            (sides)
//	      ─▶ Bilinear + Homography         (module grid)
//
// Kernels write into memory the caller owns and allocate nothing, so that a
// page costs what its pixels cost. The package imports neither os nor net and
// also runs in the browser.
package gray
