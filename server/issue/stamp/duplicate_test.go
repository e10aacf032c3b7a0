package stamp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/platform/spool"
	"tcode/server/store/storetest"
)

func TestDuplicates(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id, other := b.Tenant(t, "Acme", "ACME01"), b.Tenant(t, "Other", "OTHER1")
	ctx := t.Context()
	tpl, twin := diplomas(t, b, id), diplomas(t, b, id)
	ada, london := payload.Field{Key: "holder", Value: "Ada"}, payload.Field{Key: "place", Value: "London"}
	create := func(name, external, tdoc string, fields ...payload.Field) stamp.Stamp {
		t.Helper()
		b.Clock.Add(time.Second)
		r := storetest.Request(name)
		r.ExternalID, r.TdocTemplateID, r.Fields = external, tdoc, fields
		st, err := b.Stamps.Create(ctx, id, r)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	stamps := []stamp.Stamp{
		create("a", "X-1", tpl.ID, ada, london),
		create("a", "", tpl.ID, ada),
		create("b", "", twin.ID, ada),
		create("c", "", ""),
	}
	b.Clock.Add(time.Second)
	gone := create("c", "X-2", tpl.ID, ada)
	b.Clock.Add(time.Second)
	next, err := b.Stamps.Replace(ctx, id, gone.ID, stamp.Replacement{PDF: spool.Bytes([]byte("%PDF-1.7\nnew")), ExternalID: "X-3"})
	if err != nil {
		t.Fatal(err)
	}
	stamps = append(stamps, next)
	theirs := storetest.Request("a")
	theirs.ExternalID = "X-1"
	if _, err := b.Stamps.Create(ctx, other, theirs); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		q    stamp.DuplicateQuery
		want []string
	}{
		{"nothing", stamp.DuplicateQuery{ExternalID: "none", SHA256: strings.Repeat("0", 64)}, nil},
		{"external id", stamp.DuplicateQuery{ExternalID: "X-1"}, []string{"0 externalId"}},
		{"external id in another case", stamp.DuplicateQuery{ExternalID: "x-1"}, nil},
		{"original", stamp.DuplicateQuery{SHA256: strings.ToUpper(stamps[0].OriginalSHA256)}, []string{"1 sha256", "0 sha256"}},
		{"stamped", stamp.DuplicateQuery{SHA256: stamps[1].StampedSHA256}, []string{"1 sha256"}},
		{"original of a replaced one", stamp.DuplicateQuery{SHA256: stamps[3].OriginalSHA256}, []string{"3 sha256"}},
		{"field", stamp.DuplicateQuery{TdocTemplateID: tpl.ID, Fields: []payload.Field{ada}}, []string{"4 fields", "1 fields", "0 fields"}},
		{"fields", stamp.DuplicateQuery{TdocTemplateID: strings.ToUpper(tpl.ID), Fields: []payload.Field{london, ada}}, []string{"0 fields"}},
		{"fields of another template", stamp.DuplicateQuery{TdocTemplateID: twin.ID, Fields: []payload.Field{london}}, nil},
		{"unknown template", stamp.DuplicateQuery{TdocTemplateID: stamps[0].ID, Fields: []payload.Field{ada}}, nil},
		{"all ways", stamp.DuplicateQuery{ExternalID: "X-1", SHA256: stamps[0].OriginalSHA256, TdocTemplateID: tpl.ID, Fields: []payload.Field{ada, london}}, []string{"1 sha256", "0 externalId", "0 sha256", "0 fields"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			matches, err := b.Stamps.Duplicates(ctx, "ACME01", tt.q)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range matches {
				for i, st := range stamps {
					if st.ID == m.ID && st.Reference == m.Reference {
						got = append(got, fmt.Sprintf("%d %s", i, m.By))
					}
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || len(got) != len(matches) {
				t.Errorf("matches %v (-want +got):\n%s", matches, diff)
			}
		})
	}
	for name, q := range map[string]stamp.DuplicateQuery{
		"nothing asked":     {},
		"no hash":           {SHA256: "abc"},
		"long external id":  {ExternalID: strings.Repeat("x", 201)},
		"no template":       {Fields: []payload.Field{ada}},
		"template alone":    {TdocTemplateID: tpl.ID},
		"template no id":    {TdocTemplateID: "x", Fields: []payload.Field{ada}},
		"a field twice":     {TdocTemplateID: tpl.ID, Fields: []payload.Field{ada, ada}},
		"field without key": {TdocTemplateID: tpl.ID, Fields: []payload.Field{{Value: "x"}}},
		"U+0000":            {TdocTemplateID: tpl.ID, Fields: []payload.Field{{Key: "k", Value: "a\x00"}}},
		"too many fields":   {TdocTemplateID: tpl.ID, Fields: make([]payload.Field, 101)},
	} {
		if _, err := b.Stamps.Duplicates(ctx, "ACME01", q); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, want Invalid", name, err)
		}
	}
}

// A check returns the newest of very many.
func TestDuplicatesEnd(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	var last stamp.Stamp
	for range stamp.MaxMatches + 3 {
		b.Clock.Add(time.Second)
		last = b.Stamp(t, id, "same")
	}
	got, err := b.Stamps.Duplicates(t.Context(), "ACME01", stamp.DuplicateQuery{SHA256: last.OriginalSHA256})
	if err != nil || len(got) != stamp.MaxMatches || got[0].ID != last.ID {
		t.Errorf("%d matches, first %+v, %v", len(got), got[0], err)
	}
}
