package pdfobj

// unLZW undoes LZWDecode (ISO 32000-2, 7.4.4), whose codes grow one code early unless
// early is false. It returns false for data that are against the rules, have no end, or
// unpack to more than limit bytes.
func unLZW(data []byte, early bool, limit int) ([]byte, bool) {
	const clearTable, endOfData, first = 256, 257, 258
	type entry struct {
		from, n int // in out
	}
	var table []entry
	var out []byte
	bits, width, have := 0, 9, 0
	last := entry{}
	ahead := 0
	if early {
		ahead = 1
	}
	for _, c := range data {
		bits, have = bits<<8|int(c), have+8
		if have < width {
			continue
		}
		have -= width
		code := bits >> have
		bits &= 1<<have - 1
		switch {
		case code == endOfData:
			return out, true
		case code == clearTable:
			table, width, last = table[:0], 9, entry{}
			continue
		}
		at := len(out)
		switch {
		case code < clearTable:
			out = append(out, byte(code))
		case code-first < len(table):
			e := table[code-first]
			out = append(out, out[e.from:e.from+e.n]...)
		case code-first == len(table) && last.n > 0:
			out = append(out, out[last.from:last.from+last.n]...)
			out = append(out, out[last.from])
		default:
			return nil, false
		}
		if last.n > 0 && len(table) < 4096-first {
			table = append(table, entry{last.from, last.n + 1}) // the byte behind it is the first of this one
		}
		last = entry{at, len(out) - at}
		if width < 12 && len(table)+first+ahead >= 1<<width {
			width++
		}
		if len(out) > limit {
			return nil, false
		}
	}
	return nil, false
}
