package intake

// Limits on one line of a CSV file, checked before the line is split: a megabyte of
// commas would be a million cells.
const (
	MaxColumns = 256
	maxRecord  = 1 << 20 // bytes
)

// bounded reports whether no line of text is longer or wider than lines are;
// the first that is, is a problem.
func (s *Sheet) bounded(text []byte, before int, p *Problems) bool {
	line, start, begun, cells := before+1, 0, before+1, 1
	quoted := false
	for i, b := range text {
		switch {
		case b == '"':
			quoted = !quoted
		case b == '\n':
			if line++; !quoted {
				start, begun, cells = i+1, line, 1
			}
		case rune(b) == s.Delimiter && !quoted:
			cells++
		}
		switch {
		case cells > MaxColumns:
			p.Add(begun, "", "has more than %d cells; nothing was read", MaxColumns)
		case i-start > maxRecord:
			p.Add(begun, "", "is longer than %d bytes; perhaps a quoted cell is not closed. Nothing was read", maxRecord)
		default:
			continue
		}
		s.Cut = true
		return false
	}
	return true
}
