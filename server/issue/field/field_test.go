package field_test

import (
	"fmt"
	"strings"
	"testing"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/field"
)

func TestRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind      field.Type
		good, bad []string
	}{
		{field.Text, []string{"a", "=1", strings.Repeat("ä", field.MaxValue)}, []string{" ", "\u200b\u2060", "\u00a0", "\u3164", "a\x00", "\xff", strings.Repeat("ä", field.MaxValue+1)}},
		{field.Date, []string{"2026-01-31", "2024-02-29", "2000-02-29", "9999-12-31"}, []string{"2026-02-29", "1900-02-29", "31.01.2026", "2026-1-1", "2026-01-31T00:00:00Z", "10000-01-01", "２０２６-01-31"}},
		{field.Number, []string{"0", "-0", "0.1", "-12.50", "1e3", "1E-3", "9007199254740993"}, []string{"01", "007", "1e400", "1\n", "١٢", "+1", ".5", "1.", "1,5", "0x1", "NaN", "1e999", " 1"}},
		{field.Email, []string{"ada@example.org", "jörg@bücher.example", "ada@xn--bcher-kva.example"}, []string{
			"ada", "Ada <ada@example.org>", "a@b@c", `"a b"@example.org`, "ada@example.org\u200b", "a\u202eda@example.org", "ada@exa\u0085mple.org", "ada@exa\u00admple.org", strings.Repeat("a", 250) + "@b.org",
		}},
		{field.URL, []string{"https://example.org/", "http://[::1]:8080/x?y#z", "HTTPS://bücher.example/ü?q=ü", "https://مثال.example/می\u200cخواهم"}, []string{
			"https://example.org/a b", "https://example.org/\"><script>", "https://exa\u202emple.org/", "https://ex\u200bample.org/", "https://example.org/\u00a0", "//example.org", "example.org", "ftp://x", "https://", "javascript:alert(1)", "https:x",
		}},
	}
	for _, tt := range tests {
		schema := []field.Definition{{Key: "k", Type: tt.kind, Required: true}}
		for i, v := range append(tt.good, tt.bad...) {
			var p fault.Fields
			field.CheckValues(&p, "template", schema, []payload.Field{{Key: "k", Value: v}})
			if good := i < len(tt.good); (field.Mismatch(&p, "template") == nil) != good {
				t.Errorf("%s %q: good is %v, %v", tt.kind, v, !good, p.Err())
			}
		}
		var p fault.Fields
		field.CheckValues(&p, "template", schema, []payload.Field{{Key: "k", Value: schema[0].Example()}})
		if tt.kind != field.Text && p.Err() != nil {
			t.Errorf("%s: the example is refused: %v", tt.kind, p.Err())
		}
	}
}

// One fault names every problem by its path.
func TestCheckValues(t *testing.T) {
	t.Parallel()
	schema := []field.Definition{{Key: "a", Required: true}, {Key: "b", Type: field.Date}, {Key: "c", Required: true, MaxLength: 3}}
	var p fault.Fields
	field.CheckValues(&p, "template", schema, []payload.Field{{Key: "b", Value: "x"}, {Key: "d"}, {Key: "c", Value: "long"}, {Key: "c", Value: "x"}, {Key: "b", Value: ""}})
	err := field.Mismatch(&p, "template")
	want := `map[fields:[must have a value for "a"] fields[0].value:[must be a date such as 2026-01-31] fields[1].key:[is not a field of the template] ` +
		`fields[2].value:[must be at most 3 characters, got 4] fields[3].key:[is given more than once] fields[4].key:[is given more than once]]`
	if f := fault.As(err); f.Code != fault.CodeFieldSchemaMismatch || fmt.Sprint(f.Fields) != want {
		t.Errorf("%s %v, want %s", f.Code, f.Fields, want)
	}
}

// A field whose column would be called like another gets one of its own: two
// of the same name would be filled from the same cell.
func TestColumns(t *testing.T) {
	t.Parallel()
	got := field.Columns([]field.Column{{Name: "name"}}, []field.Definition{{Key: "Name", Required: true}, {Key: "born", Type: field.Date}})
	if want := "[{name false  0 } {field.Name true text 500 Name} {born false date 500 2026-01-31}]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	var names []string
	schema := []field.Definition{{Key: "name"}, {Key: "field.NAME"}, {Key: "born"}, {Key: "Born"}, {Key: " born "}, {Key: "ſ"}, {Key: "S"}}
	for _, c := range field.Columns([]field.Column{{Name: "name"}}, schema)[1:] {
		names = append(names, c.Name)
	}
	if want := "[field.name field.field.NAME born field.Born field.field.born ſ field.S]"; fmt.Sprint(names) != want {
		t.Errorf("%v, want %s", names, want)
	}
}
