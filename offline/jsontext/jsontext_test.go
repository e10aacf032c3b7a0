package jsontext_test

import (
	"encoding/json"
	"testing"

	"tcode/offline/jsontext"
)

// twice has a MarshalJSON, as records of several parts do.
type twice struct{ text string }

func (t twice) MarshalJSON() ([]byte, error) { return jsontext.Marshal(map[string]string{"t": t.text}) }

func TestMarshal(t *testing.T) {
	t.Parallel()
	got, err := jsontext.Marshal(map[string]any{"a&b": []any{"<x>", twice{"A&B \u2028"}, json.RawMessage(`"C&D"`), nil}})
	if want := `{"a&b":["<x>",{"t":"A&B \u2028"},"C&D",null]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if _, err := jsontext.Marshal(func() {}); err == nil {
		t.Error("a function is written")
	}
}
