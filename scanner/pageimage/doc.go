// Package pageimage shows the pages of a PDF that consist of pictures alone, as scanners make them,
// without a program that draws PDFs. Call [Open], then [Document.Show] for each page.
//
//	file ─▶ pdfobj, caveat: do all programs find the same objects?
//	  └─▶ page tree ─▶ contents, annotations ─▶ pictures in their order ─▶ samples ─▶ gray page
//	                        │                                   │
//	                        └ anything else that shows:         └ JPEG: the caller's Decode
//	                          ErrContents
//
// A page is shown as a program that draws it would show it: cut to the crop box, turned as the page says,
// with later pictures on top of earlier ones, and with at most [MaxDPI]. If a page shows anything
// else, such as visible text, lines, an annotation, a transparent picture or an optional part, the
// package does not guess how the rest looks: it shows nothing of that page. Invisible text, which programs for text
// recognition add, shows nothing.
//
// The package decodes FlateDecode and LZWDecode with predictors, CCITTFaxDecode, and pictures without a filter, in gray, RGB, CMYK
// and indexed colours. Colour profiles are not applied; a profile that may turn dark into light is refused.
package pageimage
