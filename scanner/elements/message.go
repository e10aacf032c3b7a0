package elements

import (
	"strconv"
	"strings"
)

// A Message is one format envelope of ISO/IEC 15434.
type Message struct {
	Format string `json:"format"` // two digits, such as "05" (GS1 application identifiers) or "06" (ASC MH10 data identifiers)
	// Fields are the parts between separators. A format whose indicator no separator follows, such as free text ("07"), has one.
	Fields []string `json:"fields"`

	separated bool // a separator follows the indicator
}

const (
	header  = "[)>\x1e"
	end     = "\x04"
	newPart = "\x1e"
	binary  = "09" // its data may hold any byte, and comes with its length
)

// Messages returns the format envelopes of text, a whole message of ISO/IEC 15434: "[)>" and RS, then for each envelope two
// digits, its data and RS, then EOT. ok is false if text is none. [JoinMessages] returns text again.
func Messages(text string) (all []Message, ok bool) {
	text, ok = strings.CutPrefix(text, header)
	if !ok {
		return nil, false
	}
	for text != end {
		if len(text) < 3 || strings.Trim(text[:2], "0123456789") != "" {
			return nil, false
		}
		m := Message{Format: text[:2]}
		text = text[2:]
		data, rest, ok := strings.Cut(text, newPart)
		if m.Format == binary {
			if n, is := binaryLen(text); is {
				data, rest, ok = text[:n], strings.TrimPrefix(text[n:], newPart), strings.HasPrefix(text[n:], newPart)
				m.Fields = strings.SplitN(data, Separator, 5)[1:]
				m.separated = true
			}
		}
		if !ok {
			return nil, false
		}
		if m.Fields == nil {
			data, m.separated = strings.CutPrefix(data, Separator)
			m.Fields = []string{data}
			if m.separated {
				m.Fields = strings.Split(data, Separator)
			}
		}
		all = append(all, m)
		text = rest
	}
	return all, len(all) > 0
}

// binaryLen returns the length of the data of format 09: GS, the type, GS, the kind of compression, GS, the number of
// bytes, GS and the bytes.
func binaryLen(text string) (int, bool) {
	parts := strings.SplitN(text, Separator, 5)
	if len(parts) < 5 || parts[0] != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(parts[3], 10, 31)
	head := len(text) - len(parts[4])
	if err != nil || int(n) > len(parts[4]) {
		return 0, false
	}
	return head + int(n), true
}

// JoinMessages returns the text of which [Messages] returned all.
func JoinMessages(all []Message) string {
	var out strings.Builder
	out.WriteString(header)
	for _, m := range all {
		out.WriteString(m.Format)
		if m.separated {
			out.WriteString(Separator)
		}
		out.WriteString(strings.Join(m.Fields, Separator) + newPart)
	}
	out.WriteString(end)
	return out.String()
}
