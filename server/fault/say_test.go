package fault_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/server/fault"
)

// TestSay: a text is the sentence that Sprintf makes, also after it was stored, and has its
// parts.
func TestSay(t *testing.T) {
	t.Parallel()
	inner := fault.Say("must be at most %d bytes", 3)
	for _, tt := range []struct {
		format string
		args   []any
		want   []string
	}{
		{"must not be empty", nil, nil},
		{"must be at most %d characters, got %d", []any{3, 4}, []string{"3", "4"}},
		{"byte 0x%02X is not UTF-8", []any{byte(7)}, []string{"07"}},
		{"%g mm are %.4g of %s: 100 %%", []any{1.5, 2.0 / 3, "%d"}, []string{"1.5", "0.6667", "%d"}},
		{"key %q: %v", []any{"a\"b", errors.New("no")}, []string{`"a\"b"`, "no"}},
		{"one of %v", []any{[]string{"a", "b"}}, []string{"[a b]"}},
		{"%s", []any{"50 % of it"}, nil},
		{"%v", []any{inner}, []string{"3"}},
		{"lacks %d and %d", []any{1}, nil},
	} {
		got := fault.Say(tt.format, tt.args...)
		if want := fmt.Sprintf(tt.format, tt.args...); got.String() != want || !cmp.Equal(got.Args, tt.want) {
			t.Errorf("%q: %q %q, want %q %q", tt.format, got, got.Args, want, tt.want)
		}
		raw, err := json.Marshal(got)
		var back fault.Text
		if err = errors.Join(err, json.Unmarshal(raw, &back)); err != nil || back.String() != got.String() {
			t.Errorf("%s: %v, %q", raw, err, back)
		}
	}
	if got := fault.Say("%s", inner); got.Key != inner.Key {
		t.Errorf("a whole sentence is %+v", got)
	}
	f := fault.New(fault.Invalid, fault.CodeValidationFailed, "at most %d", 3)
	if got := f.Said(); got.Key != "at most %d" || got.String() != f.Message {
		t.Errorf("said %+v", got)
	}
	if f.Message = "another"; f.Said().String() != "another" {
		t.Errorf("said %+v", f.Said())
	}
}

// FuzzText: a stored text with any key is a sentence.
func FuzzText(f *testing.F) {
	f.Add("%d of %s %%", "1", "x")
	f.Add("%[1]s %", "", "%s")
	f.Fuzz(func(t *testing.T, key, a, b string) {
		text := fault.Text{Key: key, Args: []string{a, b}}
		if got := text.String(); len(got) > len(key)+strings.Count(key, "%")*(len(a)+len(b)) {
			t.Errorf("%+v: %q", text, got)
		}
		if got := fault.Say("%s", key); got.String() != key {
			t.Errorf("%q became %q", key, got)
		}
	})
}
