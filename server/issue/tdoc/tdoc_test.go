package tdoc_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/tdoc"
)

// diploma is a template that says everything.
func diploma() tdoc.Spec {
	return tdoc.Spec{
		Name: "Diploma", Description: "of the faculty", IssuanceTemplateID: "0198A3C2-5D1E-7C44-9A51-0F5C8E2B7D10",
		IssuanceTemplateName: "Diploma", BaseFields: []string{"recipientName", "place"},
		CustomFields: []tdoc.Field{
			{Key: "site", Type: tdoc.URL, Order: 9},
			{Key: "grade", Label: "Grade", Type: tdoc.Number, Required: true, InPayload: true, MaxLength: 5, Order: 1},
			{Key: "holder", InPayload: true, Required: true, MaxLength: 100, Order: 0},
			{Key: "day", Type: tdoc.Date, InPayload: true, Order: 1},
			{Key: "mail", Type: tdoc.Email, Order: 3},
		},
		SuggestedDocType: "DIP", EnableEmailSending: true, ProductMode: tdoc.ModeTrustTCode,
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	tests := []struct {
		from   tdoc.Status
		action tdoc.Action
		want   tdoc.Status // empty: refused
	}{
		{tdoc.Active, tdoc.ActionArchive, tdoc.Archived},
		{tdoc.Active, tdoc.ActionUnarchive, tdoc.Active},
		{tdoc.Archived, tdoc.ActionArchive, tdoc.Archived},
		{tdoc.Archived, tdoc.ActionUnarchive, tdoc.Active},
		{tdoc.Active, "delete", ""},
		{tdoc.Archived, "", ""},
	}
	for _, tt := range tests {
		t.Run(string(tt.from)+"/"+string(tt.action), func(t *testing.T) {
			got, err := tt.from.Next(tt.action)
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("Next = %q, %v; want %q", got, err, tt.want)
			}
			if tt.want == "" && fault.As(err).Code != fault.CodeInvalidTransition {
				t.Errorf("err = %v", err)
			}
		})
	}
}

func TestStampable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status tdoc.Status
		mode   tdoc.ProductMode
		want   string
	}{
		{tdoc.Active, tdoc.ModeTCode, ""},
		{tdoc.Active, tdoc.ModeTrustTCode, ""},
		{tdoc.Active, tdoc.ModeTrust, fault.CodeConfigurationMismatch},
		{tdoc.Archived, tdoc.ModeTCode, fault.CodeTemplateArchived},
		{tdoc.Archived, tdoc.ModeTrust, fault.CodeTemplateArchived},
	} {
		err := tdoc.Template{Spec: tdoc.Spec{ProductMode: tt.mode}, Status: tt.status}.Stampable()
		if tt.want == "" && err != nil || tt.want != "" && fault.As(err).Code != tt.want {
			t.Errorf("%s %s: %v, want %q", tt.status, tt.mode, err, tt.want)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if err := diploma().Check(); err != nil {
		t.Fatal(err)
	}
	if err := (tdoc.Spec{Name: "n"}).Check(); err != nil {
		t.Fatal(err)
	}
	many := func(n int, f tdoc.Field) (out []tdoc.Field) {
		for i := range n {
			f.Key = "f" + strings.Repeat("x", i%10) + string(rune('a'+i/10))
			out = append(out, f)
		}
		return out
	}
	tests := []struct {
		name   string
		change func(s *tdoc.Spec)
		want   []string
	}{
		{"name", func(s *tdoc.Spec) { s.Name = "" }, []string{"name"}},
		{"description", func(s *tdoc.Spec) { s.Description = strings.Repeat("x", 1001) }, []string{"description"}},
		{"issuance template", func(s *tdoc.Spec) { s.IssuanceTemplateID = "x" }, []string{"issuanceTemplateId"}},
		{"texts", func(s *tdoc.Spec) {
			s.IssuanceTemplateName, s.SuggestedDocType = "\x00", strings.Repeat("x", 101)
		}, []string{"issuanceTemplateName", "suggestedDocType"}},
		{"mode", func(s *tdoc.Spec) { s.ProductMode = "both" }, []string{"productMode"}},
		{"blank base field", func(s *tdoc.Spec) { s.BaseFields = []string{"a", ""} }, []string{"baseFields[1]"}},
		{"base field twice", func(s *tdoc.Spec) { s.BaseFields = []string{"a", "a"} }, []string{"baseFields[1]"}},
		{"many base fields", func(s *tdoc.Spec) { s.BaseFields = slices.Collect(maps.Keys(numbered(51))) }, []string{"baseFields"}},
		{"custom field as a base field", func(s *tdoc.Spec) { s.CustomFields[1].Key = "place" }, []string{"customFields[1].key", "customFields[1].key"}},
		{"custom field twice", func(s *tdoc.Spec) { s.CustomFields[3].Key = "site" }, []string{"customFields[3].key"}},
		{"custom field", func(s *tdoc.Spec) {
			s.CustomFields[4] = tdoc.Field{Label: strings.Repeat("x", 201), Type: "bool", MaxLength: 501, Order: -1}
		}, []string{"customFields[4].key", "customFields[4].label", "customFields[4].maxLength", "customFields[4].order", "customFields[4].type"}},
		{"key no payload has", func(s *tdoc.Spec) { s.CustomFields[1].Key = "Grade" }, []string{"customFields[1].key"}},
		{"key too long for a payload", func(s *tdoc.Spec) { s.CustomFields[1].Key = "abcdefghijklmnopq" }, []string{"customFields[1].key"}},
		{"value too long for a payload", func(s *tdoc.Spec) { s.CustomFields[1].MaxLength = 256 }, []string{"customFields[1].maxLength"}},
		{"many signed", func(s *tdoc.Spec) { s.CustomFields = many(17, tdoc.Field{InPayload: true}) }, []string{"customFields"}},
		{"many custom fields", func(s *tdoc.Spec) { s.CustomFields = many(51, tdoc.Field{}) }, []string{"customFields"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := diploma()
			tt.change(&s)
			f := fault.As(s.Check())
			if f == nil || f.Code != fault.CodeValidationFailed {
				t.Fatalf("err = %v", f)
			}
			if diff := cmp.Diff(slices.Compact(tt.want), slices.Sorted(maps.Keys(f.Fields))); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

func numbered(n int) map[string]bool {
	m := map[string]bool{}
	for i := range n {
		m["k"+strings.Repeat("x", i)] = true
	}
	return m
}

func TestNormal(t *testing.T) {
	t.Parallel()
	s := diploma()
	n := s.Normal()
	var keys []string
	for _, f := range n.Fields() {
		keys = append(keys, f.Key)
		if f.Label == "" || f.Type == "" {
			t.Errorf("%s has no label or type", f.Key)
		}
	}
	if diff := cmp.Diff([]string{"recipientName", "place", "holder", "grade", "day", "mail", "site"}, keys); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if s.CustomFields[0].Key != "site" || s.CustomFields[2].Label != "" {
		t.Error("Normal changed its input")
	}
	if (tdoc.Spec{}).Normal().ProductMode != tdoc.ModeTCode {
		t.Error("the default product mode is not tcode")
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	s := diploma().Normal()
	good := []payload.Field{
		{Key: "holder", Value: "Ada Lovelace"},
		{Key: "place", Value: "<script>"},
		{Key: "grade", Value: "-1.5"},
		{Key: "day", Value: "2026-02-28"},
		{Key: "mail", Value: "ada@example.org"},
		{Key: "site", Value: ""},
	}
	signed, err := s.Values(good)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]payload.Field{good[3], good[2], good[0]}, signed); diff != "" {
		t.Errorf("signed (-want +got):\n%s", diff)
	}
	tests := []struct {
		name   string
		fields []payload.Field
		want   []string
	}{
		{"nothing", nil, []string{"fields"}},
		{"unknown", append(slices.Clone(good), payload.Field{Key: "Holder", Value: "x"}), []string{"fields[6].key"}},
		{"twice", append(slices.Clone(good), good[1]), []string{"fields[6].key"}},
		{"required and empty", []payload.Field{{Key: "holder"}, {Key: "grade", Value: "1"}}, []string{"fields[0].value"}},
		{"required and blank", []payload.Field{{Key: "holder", Value: " "}, {Key: "grade", Value: "1"}}, []string{"fields[0].value"}},
		{"all together", []payload.Field{{Key: "grade", Value: "123456"}, {Key: "day", Value: "31.1.2026"}, {Key: "x"}}, []string{"fields", "fields[0].value", "fields[1].value", "fields[2].key"}},
		{"not UTF-8", []payload.Field{{Key: "holder", Value: "\xff"}, {Key: "grade", Value: "1"}}, []string{"fields[0].value"}},
		{"U+0000", []payload.Field{{Key: "holder", Value: "a\x00"}, {Key: "grade", Value: "1"}}, []string{"fields[0].value"}},
		{"bytes above what a payload holds", []payload.Field{{Key: "holder", Value: strings.Repeat("𝒜", 64)}, {Key: "grade", Value: "1"}}, []string{"fields[0].value"}},
		{"500 characters are enough", append(slices.Clone(good[2:3]), good[0], payload.Field{Key: "place", Value: strings.Repeat("x", 501)}), []string{"fields[2].value"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.Values(tt.fields)
			f := fault.As(err)
			if f == nil || f.Code != fault.CodeFieldSchemaMismatch || f.Kind != fault.Rejected {
				t.Fatalf("err = %v", err)
			}
			if diff := cmp.Diff(tt.want, slices.Sorted(maps.Keys(f.Fields))); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind      tdoc.FieldType
		good, bad []string
	}{
		{tdoc.Text, []string{"x", "=1+1", "ж\n\t", "' OR 1=1 --"}, nil},
		{tdoc.Date, []string{"2026-01-31", "2024-02-29", "0001-01-01"}, []string{
			"2026-02-29", "2026-1-31", "26-01-31", "2026-01-31T00:00:00Z", "31.01.2026", "2026-13-01", "today", " 2026-01-31",
		}},
		{tdoc.Number, []string{"0", "-0", "42", "-12.50", "1e3", "1E-3"}, []string{
			"", "+1", "01", "1.", ".5", "1,5", "0x10", "NaN", "Infinity", "1e999", "1_000", "٤", " 1",
		}[1:]},
		{tdoc.Email, []string{"ada@example.org", "a.b+c@sub.example.org", "ж@example.org"}, []string{
			"ada", "ada@", "@example.org", "Ada <ada@example.org>", "<ada@example.org>", "ada@example.org ", "a@b, c@d",
			strings.Repeat("a", 250) + "@b.de",
		}},
		{tdoc.URL, []string{"http://example.org", "https://example.org/a?b=c#d", "https://[::1]:8080/"}, []string{
			"example.org", "ftp://example.org", "javascript:alert(1)", "https:", "https:///x", "//example.org", "http:example.org", "https://exa mple.org/",
		}},
	}
	for _, tt := range tests {
		s := tdoc.Spec{Name: "n", CustomFields: []tdoc.Field{{Key: "k", Type: tt.kind}}}
		for _, v := range tt.good {
			if _, err := s.Values([]payload.Field{{Key: "k", Value: v}}); err != nil {
				t.Errorf("%s %q: %v", tt.kind, v, err)
			}
		}
		for _, v := range tt.bad {
			if _, err := s.Values([]payload.Field{{Key: "k", Value: v}}); err == nil {
				t.Errorf("%s %q passes", tt.kind, v)
			}
		}
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	got := tdoc.Spec{
		Name: "Diploma", BaseFields: []string{"Name", "+1"},
		CustomFields: []tdoc.Field{
			{Key: "grade", Label: "Grade", Required: true, MaxLength: 7, Order: 1},
			{Key: "fileName", Type: tdoc.Date},
			{Key: "seal", InPayload: true, Order: 2},
			{Key: "sign", InPayload: true, MaxLength: 9, Order: 3},
		},
	}.Normal().Columns()
	want := []tdoc.Column{
		{Name: "fileName", Required: true, Type: tdoc.Text, MaxLength: 255, Example: "document.pdf"},
		{Name: "name", Required: true, Type: tdoc.Text, MaxLength: 200, Example: "Diploma"},
		{Name: "documentTypeCode", Required: true, Type: tdoc.Text, MaxLength: 3, Example: "DIP"},
		{Name: "externalId", Type: tdoc.Text, MaxLength: 200, Example: "2026-0001"},
		{Name: "field.Name", Type: tdoc.Text, MaxLength: 500, Example: "Name"},
		{Name: "+1", Type: tdoc.Text, MaxLength: 500, Example: "+1"},
		{Name: "field.fileName", Type: tdoc.Date, MaxLength: 500, Example: "2026-01-31"},
		{Name: "grade", Required: true, Type: tdoc.Text, MaxLength: 7, Example: "Grade"},
		{Name: "seal", Type: tdoc.Text, MaxLength: 255, Example: "seal"},
		{Name: "sign", Type: tdoc.Text, MaxLength: 9, Example: "sign"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}
