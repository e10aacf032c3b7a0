package symbol

// Limits of the images that one call of [ReadImage] gets, so that memory is bounded. A larger page or picture is reduced for the
// first look, and cut into parts for a closer one.
const (
	// WholePixels bounds the first look at a page: an A4 page at 200 dpi, an A3 page at 150 dpi.
	WholePixels = 4_500_000
	// PartPixels bounds the parts of a closer look.
	PartPixels = WholePixels / 2
)

// Together combines the readings of overlapping parts of a page, each in px of the page: all symbols, or the most telling reason.
func Together(parts []Reading) (all Reading) {
	for _, p := range parts {
		all.Locate += p.Locate
		all.Decode += p.Decode
		all.Symbols = Add(all.Symbols, p.Symbols)
		if telling(p.Reason.Code) > telling(all.Reason.Code) {
			all.Reason = p.Reason
		}
	}
	if len(all.Symbols) > 0 {
		all.Reason = Reason{}
	}
	return all
}

// telling says how much the reason of one part says about the page.
func telling(code string) int {
	switch code {
	case "":
		return 0
	case CodeNothingFound, CodeLowContrast: // many parts are blank
		return 1
	case CodeQuietZoneCut: // it may be the part that cuts it
		return 2
	case CodeOutOfTime:
		return 4
	}
	return 3
}

// Add appends the symbols of more that are not in list: parts overlap.
func Add(list, more []Symbol) []Symbol {
next:
	for _, m := range more {
		for i := range list {
			if list[i].Same(&m) {
				continue next
			}
		}
		list = append(list, m)
	}
	return list
}
