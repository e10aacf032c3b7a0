//go:build js

package fallback

import "tcode/scanner/gray"

// Read has no opinion in a browser, because gozxing would be a fifth of the program.
func Read(*gray.Image) []Opinion { return nil }
