package issue_test

import (
	"testing"

	"tcode/server/fault"
	"tcode/server/issue"
)

type (
	state  string
	action string
)

// A door: it may be locked permanently, and only shut doors are.
var (
	next   = map[state]map[action]state{"open": {"shut": "shut"}, "shut": {"open": "open", "lock": "locked"}, "locked": {}}
	result = map[action]state{"open": "open", "shut": "shut"} // a second locking is refused
)

func TestStep(t *testing.T) {
	t.Parallel()
	tests := []struct {
		from state
		do   action
		want state // empty: refused
	}{
		{"open", "shut", "shut"},
		{"open", "open", "open"},
		{"open", "lock", ""},
		{"open", "paint", ""},
		{"shut", "open", "open"},
		{"shut", "shut", "shut"},
		{"shut", "lock", "locked"},
		{"locked", "open", ""},
		{"locked", "lock", ""},
		{"", "open", ""},
	}
	for _, tt := range tests {
		got, err := issue.Step("door", next, result, tt.from, tt.do)
		if got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.do, tt.from, got, tt.want)
		}
		if refused := tt.want == ""; refused != (err != nil) || refused && fault.As(err).Code != fault.CodeInvalidTransition {
			t.Errorf("%s %s: %v", tt.do, tt.from, err)
		}
	}
}
