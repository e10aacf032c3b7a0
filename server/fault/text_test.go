package fault_test

import (
	"fmt"
	"strings"
	"testing"

	"tcode/server/fault"
)

func TestText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		needed     bool
		ok         bool
	}{
		{"plain", "Ada", true, true},
		{"absent", "", false, true},
		{"needed", "", true, false},
		{"blank", " \t\u00a0", true, false},
		{"nothing to see", "\u200b\u2060\ufeff\u00ad\u202e\u3164\ufe0f", true, false},
		{"a braille cell", "\u2801", true, true},
		{"blank where none is needed", " ", false, true},
		{"at the limit", strings.Repeat("ж", 10), true, true},
		{"beyond the limit", strings.Repeat("x", 11), true, false},
		{"not UTF-8", "a\xff", false, false},
		{"U+0000", "a\x00b", false, false},
		{"terminal escape", "a\x1b[31m", true, false},
		{"lines", "a\tb\r\nc", true, true},
		{"markup", "<script>", true, true},
	}
	for _, tt := range tests {
		var p fault.Fields
		p.Text("field", tt.text, tt.needed, 10)
		if err := p.Err(); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestInvisible: an invisible character is refused by its name and place, but where its script
// needs it.
func TestInvisible(t *testing.T) {
	t.Parallel()
	const format = "must not contain %s (character %d), which is invisible: remove it, or type the text again"
	for text, want := range map[string]string{
		"Ada \u202eecalevoL":       fmt.Sprintf(format, "U+202E RIGHT-TO-LEFT OVERRIDE", 5),
		"\ufeffAda":                fmt.Sprintf(format, "U+FEFF ZERO WIDTH NO-BREAK SPACE", 1),
		"Ж\u2066a\u2069":           fmt.Sprintf(format, "U+2066 LEFT-TO-RIGHT ISOLATE", 2),
		"A\u200bda":                fmt.Sprintf(format, "U+200B ZERO WIDTH SPACE", 2),
		"Ada\u200f":                fmt.Sprintf(format, "U+200F RIGHT-TO-LEFT MARK", 4),
		"a\u2028b":                 fmt.Sprintf(format, "U+2028 LINE SEPARATOR", 2),
		"a\x07":                    fmt.Sprintf(format, "U+0007", 2),
		"a\U000e0041":              fmt.Sprintf(format, "U+E0041", 2),
		"\u0627\u202e\u0644":       fmt.Sprintf(format, "U+202E RIGHT-TO-LEFT OVERRIDE", 2),
		"\u0645\u06cc\u200c\u062e": "", // Persian
		"\u0915\u094d\u200d\u0937": "", // Hindi
		"C++ \u200f\u0627\u200e":   "", // Arabic
		"\u179f\u200b\u1793":       "", // Khmer
	} {
		var p fault.Fields
		p.Text("field", text, true, 100)
		got := ""
		if err := p.Err(); err != nil {
			got = strings.Join(fault.As(err).Texts()["field"], "; ")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		var sought fault.Fields
		if sought.Sought("field", text, 100); sought.Err() != nil {
			t.Errorf("%q cannot be searched for: %v", text, sought.Err())
		}
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		ok         bool
	}{
		{"plain", "Acme & Söhne <GmbH>", true},
		{"characters, not bytes", strings.Repeat("ﷺ", fault.MaxName), true},
		{"too long", strings.Repeat("x", fault.MaxName+1), false},
		{"empty", "", false},
		{"blank", "\u00a0 ", false},
		{"not UTF-8", "a\xff", false},
		{"U+0000", "a\x00b", false},
		{"line end", "a\nb", false},
		{"tab", "a\tb", false},
		{"terminal escape", "a\x1b[31m", false},
		{"C1 control", "a\u009bm", false},
		{"line separator", "a\u2028b", false},
	}
	for _, tt := range tests {
		var p fault.Fields
		p.Name("field", tt.text)
		if err := p.Err(); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		} else if err != nil && len(fault.As(err).Fields["field"]) != 1 {
			t.Errorf("%s is said more than once: %v", tt.name, err)
		}
	}
}
