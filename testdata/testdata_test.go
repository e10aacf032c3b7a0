package testdata_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/testdata"
)

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := testdata.Parse("name", "expect: ok\ncomment: a: b\nfield: x=1\nfield: \n\n0a 0b\n0C\n")
	if err != nil {
		t.Fatal(err)
	}
	want := testdata.Vector{
		Name:   "name",
		Header: []testdata.Header{{Key: "expect", Value: "ok"}, {Key: "comment", Value: "a: b"}, {Key: "field", Value: "x=1"}, {Key: "field", Value: ""}},
		Body:   "0a 0b\n0C\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"x=1", ""}, got.All("field")); diff != "" {
		t.Errorf("All (-want +got):\n%s", diff)
	}
	if got.Get("comment") != "a: b" || got.Get("none") != "" {
		t.Errorf("Get: %q, %q", got.Get("comment"), got.Get("none"))
	}
	if raw, err := got.Hex(); err != nil || string(raw) != "\x0a\x0b\x0c" {
		t.Errorf("Hex = %x, %v", raw, err)
	}
	got.Body = "0x"
	if _, err := got.Hex(); !errors.Is(err, testdata.ErrVector) {
		t.Errorf("Hex of %q: %v, want %v", got.Body, err, testdata.ErrVector)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty":         "",
		"no body":       "expect: ok\ncomment: c\n",
		"no expect":     "comment: c\n\n00\n",
		"no comment":    "expect: ok\n\n00\n",
		"expect twice":  "expect: ok\nexpect: ok\ncomment: c\n\n",
		"no colon":      "expect: ok\ncomment: c\nkey\n\n",
		"no key":        "expect: ok\ncomment: c\n: value\n\n",
		"windows lines": "expect: ok\r\ncomment: c\r\n\r\n00\r\n",
	} {
		if _, err := testdata.Parse(name, text); !errors.Is(err, testdata.ErrVector) {
			t.Errorf("%s: %v, want %v", name, err, testdata.ErrVector)
		}
	}
}

// TestRead: a header that the caller does not know, and an area that is not
// there, are errors.
func TestRead(t *testing.T) {
	t.Parallel()
	if _, err := testdata.Read("payload"); !errors.Is(err, testdata.ErrVector) {
		t.Errorf("unknown keys: %v, want %v", err, testdata.ErrVector)
	}
	if _, err := testdata.Read("no-such-area"); err == nil {
		t.Error("no error for an area that does not exist")
	}
}
