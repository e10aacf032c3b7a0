package gate

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestWordsOfEnums: each word of each enum of the contract is understood in any case and with any
// joint between its parts, and as no other word of its enum.
func TestWordsOfEnums(t *testing.T) {
	t.Parallel()
	ops, err := loadContract(Config{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[*schema]bool{}
	words := 0
	var walk func(s *schema)
	walk = func(s *schema) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		for _, v := range s.Enum {
			word, ok := v.(string)
			if !ok {
				continue
			}
			words++
			for _, typed := range formsOf(word) {
				if got := standard(typed, s); got != word {
					t.Errorf("%q of %v is read as %q, want %q", typed, s.Enum, got, word)
				}
			}
		}
		walk(s.Items)
		for _, inner := range s.Properties {
			walk(inner)
		}
	}
	for _, op := range ops {
		walk(op.body)
		for _, p := range op.params {
			walk(p.Schema)
		}
	}
	if words < 60 {
		t.Errorf("only %d words", words)
	}
}

// formsOf returns forms in which people write a word.
func formsOf(word string) []string {
	out := map[string]bool{word: true, strings.ToUpper(word): true}
	for _, joint := range []string{"", "_", "-", " "} {
		var b strings.Builder
		for i, r := range word {
			switch {
			case i > 0 && strings.ContainsRune("_- ", r):
				b.WriteString(joint)
			case i > 1 && unicode.IsUpper(r):
				b.WriteString(joint + string(r))
			default:
				b.WriteRune(r)
			}
		}
		out[b.String()] = true
	}
	return slices.Sorted(maps.Keys(out))
}
