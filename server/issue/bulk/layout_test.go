package bulk_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/bulk"
	"tcode/server/issue/field"
)

// layout has a field whose key is that of a column of the document itself.
var layout = bulk.Layout{
	Own: []field.Column{{Name: bulk.FileColumn, Required: true}, {Name: "name", Required: true}, {Name: "externalId"}},
	Schema: []field.Definition{
		{Key: "holder", Required: true}, {Key: "name"}, {Key: "grade", Required: true},
	},
	Paths: map[string]string{bulk.FileColumn: "pdf"},
}

func TestEntry(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range layout.Columns() {
		names = append(names, c.Name)
	}
	if diff := cmp.Diff([]string{"fileName", "name", "externalId", "holder", "field.name", "grade"}, names); diff != "" {
		t.Fatal(diff)
	}
	got := bulk.EntryOf(layout, map[string]string{"fileName": "a.pdf", "name": "Diploma", "field.name": "Ada", "grade": "1"})
	want := bulk.Entry{
		Cells: map[string]string{"fileName": "a.pdf", "name": "Diploma", "externalId": ""},
		Given: []payload.Field{{Key: "name", Value: "Ada"}, {Key: "grade", Value: "1"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestBlame: a fault's message on a member of a request becomes one on the column
// that the member comes from.
func TestBlame(t *testing.T) {
	t.Parallel()
	cells := map[string]string{"field.name": "Ada", "grade": "1"}
	tests := []struct {
		name   string
		fields map[string][]string
		want   map[string][]string
	}{
		{"a column", map[string][]string{"name": {"a"}}, map[string][]string{"name": {"a"}}},
		{"a column of another name", map[string][]string{"pdf": {"a"}}, map[string][]string{"fileName": {"a"}}},
		{"a field", map[string][]string{"fields[1].value": {"a"}}, map[string][]string{"grade": {"a"}}},
		{"a field with a column's key", map[string][]string{"fields[0]": {"a"}}, map[string][]string{"field.name": {"a"}}},
		{"missing fields", map[string][]string{"fields": {"needs holder"}}, map[string][]string{"holder": {"must not be empty"}}},
		{"what is no column", map[string][]string{"tdocTemplateId": {"a"}}, map[string][]string{"": {"a"}}},
		{"nothing named", nil, map[string][]string{"": {"all is wrong"}}},
		{"several", map[string][]string{"name": {"a", "b"}, "x": {"c"}}, map[string][]string{"name": {"a", "b"}, "": {"c"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := fault.New(fault.Invalid, fault.CodeValidationFailed, "all is wrong")
			for _, name := range slices.Sorted(maps.Keys(tt.fields)) {
				for _, said := range tt.fields[name] {
					f = f.WithField(name, "%s", said)
				}
			}
			if diff := cmp.Diff(tt.want, bulk.Blame(layout, f, cells)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestResultName(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"a.pdf":                 "a",
		"in/Zeugnis Müller.PDF": "Zeugnis Müller",
		`in\b.pdf`:              "b",
		"../../etc/passwd":      "passwd",
		"..":                    "document",
		"":                      "document",
		".hidden":               "document",
		"con.pdf":               "document",
		"lpt1":                  "document",
		"a\x00b\nc.pdf":         "a_b_c",
		`a:b*c?"<>|.pdf`:        "a_b_c_____",
		"gnp\u202efdp.pdf":      "gnp_fdp",
		"-rf.pdf":               "_rf",
		"ends. .pdf":            "ends",
		"\xff\xfe.pdf":          "_",
		"日本語.pdf":               "日本語",
		"no extension":          "no extension",
	} {
		row := bulk.Row{File: file, Made: bulk.Made{Reference: "TCR-1"}}
		if got := bulk.ResultName(row); got != want+"_TCR-1.pdf" {
			t.Errorf("%q: %q, want %q", file, got, want+"_TCR-1.pdf")
		}
	}
	long := bulk.ResultName(bulk.Row{File: strings.Repeat("語", 200), Made: bulk.Made{Reference: "TCR-7KQ2M4X9T1C3V5B8"}})
	if len(long) > 255 || !utf8.ValidString(long) {
		t.Errorf("%d bytes: %q", len(long), long)
	}
}
