// Package simulate does to a page what printers, scanners and phones do, so
// that the reader can be tested on more pages than anybody could print.
//
//	page ─▶ Draw symbol ─▶ Warp ─▶ Blur ─▶ Light ─▶ Noise ─▶ JPEG ─▶ image
//	        area coverage  skew,                             quality
//	                       perspective
//
// Everything is deterministic: the same page and the same seed give the same
// bytes. [Scan] and [Photo] put the steps together.
package simulate
