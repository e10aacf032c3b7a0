package fault_test

import (
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
		{"other control characters", "a\x1b[31m\n\u202e", true, true},
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
