package stamp_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
)

func TestList(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	start := b.Clock.Now()
	var refs []string
	for i, name := range []string{"Diploma of Ada", "Invoice 100%", "DIPLOMA of Bob", "Rechnung_1 Ökö"} {
		r := storetest.Request(name)
		if i == 1 {
			r.ExternalID = "EXT-1"
		}
		st, err := b.Stamps.Create(t.Context(), id, r)
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, st.Reference.String())
		if i == 2 {
			if err := b.Stamps.Act(t.Context(), id, st.ID, stamp.ActionSuspend, ""); err != nil {
				t.Fatal(err)
			}
		}
		b.Clock.Add(24 * time.Hour)
	}
	day := func(n int) time.Time { return start.Add(time.Duration(n) * 24 * time.Hour) }
	tests := []struct {
		name string
		f    stamp.Filter
		want []int // indexes
	}{
		{"all", stamp.Filter{}, []int{3, 2, 1, 0}},
		{"words in any case and order", stamp.Filter{Search: "ada DIPLOMA"}, []int{0}},
		{"one word", stamp.Filter{Search: "diploma"}, []int{2, 0}},
		{"begin of a word", stamp.Filter{Search: "diplom"}, []int{2, 0}},
		{"begin of a word, oldest first", stamp.Filter{Search: "diplom", OldestFirst: true}, []int{0, 2}},
		{"end of a word", stamp.Filter{Search: "iploma"}, nil},
		{"percent is no wildcard", stamp.Filter{Search: "%"}, nil},
		{"words with what is no letter", stamp.Filter{Search: "100% (invoice)"}, []int{1}},
		{"underscore ends a word", stamp.Filter{Search: "rechnung"}, []int{3}},
		{"letters beyond ASCII", stamp.Filter{Search: "öKÖ"}, []int{3}},
		{"external id", stamp.Filter{Search: "EXT-1"}, []int{1}},
		{"reference", stamp.Filter{Search: refs[2]}, []int{2}},
		{"status", stamp.Filter{Statuses: []stamp.Status{stamp.Suspended, stamp.Revoked}}, []int{2}},
		{"from", stamp.Filter{From: day(2)}, []int{3, 2}},
		{"to is exclusive", stamp.Filter{To: day(2)}, []int{1, 0}},
		{"range and search", stamp.Filter{From: day(1), To: day(3), Search: "diploma"}, []int{2}},
		{"field of no stamp", stamp.Filter{FieldName: "grade"}, nil},
		{"second page", stamp.Filter{Page: 2, PageSize: 3}, []int{0}},
		{"beyond", stamp.Filter{Page: 9, PageSize: 3}, nil},
		{"quotes", stamp.Filter{Search: `' OR 1=1 --`}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := b.Stamps.List(t.Context(), "ACME01", tt.f)
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for _, s := range p.Items {
				got = append(got, s.Reference.String())
			}
			for _, i := range tt.want {
				want = append(want, refs[i])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
			if tt.f.Page == 0 && (p.TotalCount != len(want) || p.TotalIsLowerBound || p.Page != 1 || p.PageSize != 20) {
				t.Errorf("page %+v", p)
			}
		})
	}
	for _, f := range []stamp.Filter{
		{Page: -1}, {PageSize: 101}, {FieldValue: "x"}, {TemplateID: "x"}, {From: day(2), To: day(1)},
	} {
		if _, err := b.Stamps.List(t.Context(), "ACME01", f); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v, want Invalid", f, err)
		}
	}
}
