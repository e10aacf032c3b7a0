package compare

import "tcode/scanner/gray"

// AgainDPI is the resolution of the second look.
const AgainDPI = againDPI

// Twice is the rule for pages whose outlines are the same: a and b at StrictDPI, and the second look at a2 and b2, which
// looks here at the whole page.
func Twice(a, b, a2, b2 *gray.Image) bool {
	first := doubting.images(a, b, StrictDPI)
	for _, x := range first {
		if x.Score > sureLimit {
			return true
		}
	}
	return len(first) > 0 && len(again.images(a2, b2, againDPI)) > 0
}
