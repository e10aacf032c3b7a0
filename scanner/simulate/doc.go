// Package simulate changes a page as printers, scanners and phones do, so that the reader can
// be tested on more pages than a person could print. Call [Draw], then [Scan] or [Photo].
//
//	page ─▶ Draw symbol ─▶ Warp ─▶ Blur ─▶ Light ─▶ Noise ─▶ JPEG ─▶ image
//	        area coverage  skew,                             quality
//	                       perspective
//
// Everything is deterministic: the same page and the same seed give the same
// bytes. [Scan] and [Photo] put the steps together.
package simulate
