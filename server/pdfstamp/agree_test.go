package pdfstamp_test

import (
	"slices"
	"strings"
	"testing"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/pdfstamp"
)

// TestPageShownTwice: where one page object is several pages of the document the
// stamp shows on all of them, and it is said which.
func TestPageShownTwice(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	h := newHard()
	h.set(7, h.objects[4])
	h.set(8, "<</Type/Pages/Kids[4 0 R]/Count 1>>")
	h.swap(2, "[4 0 R]/Count 1", "[4 0 R 7 0 R 4 0 R 8 0 R]/Count 4")
	pdf := h.build()
	for _, tt := range []struct {
		pl   pdfstamp.Placement
		want []int
		warn string
	}{
		{pdfstamp.Placement{}, []int{1, 3, 4}, "pages 1, 3 and 4 are one object of the document: the stamp shows on each of them, though the placement names page 4 only"},
		{pdfstamp.Placement{Scope: geometry.FirstPage}, []int{1, 3, 4}, "pages 1, 3 and 4 are one object of the document: the stamp shows on each of them, though the placement names page 1 only"},
		{pdfstamp.Placement{Scope: geometry.OddPages}, []int{1, 3, 4}, "pages 1, 3 and 4 are one object of the document: the stamp shows on each of them, though the placement names pages 1 and 3 only"},
		{pdfstamp.Placement{Scope: geometry.AllPages}, []int{1, 2, 3, 4}, "pages 1, 3 and 4 are one object of the document: the stamp shows on each of them"},
		{pdfstamp.Placement{Scope: geometry.CustomPages, Pages: []int{2}}, []int{2}, ""},
	} {
		st, _ := stamped(t, s, pdf, tt.pl, payload.Reference{1})
		if got := strings.Join(st.Warnings, "; "); got != tt.warn || !slices.Equal(st.Pages(), tt.want) {
			t.Errorf("%+v: pages %v, %q; want %v, %q", tt.pl, st.Pages(), got, tt.want, tt.warn)
		}
		found, err := s.Survey(t.Context(), pdf, tt.pl, payload.Reference{1}, side)
		if err != nil || len(found[0].Places) != len(tt.want) {
			t.Errorf("%+v: survey: %d places, %v", tt.pl, len(found[0].Places), err)
		}
	}
}

// TestViewersDisagree: a warning names objects that some viewers do not show, and a
// page that they draw with other resources than before once it is stamped is refused.
func TestViewersDisagree(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	const own, contents = "/Resources<</Font<</F1 3 0 R>>>>", "/Contents 5 0 R"
	inherit := func(h *hardFile) { h.swap(2, "/Count 1", "/Count 1"+own) }
	for _, tt := range []struct {
		name  string
		build func(h *hardFile)
		warn  string // "": refused
	}{
		{"resources absent, and inherited", func(h *hardFile) { inherit(h); h.swap(4, own, "/Resources 99 0 R") }, ""},
		{"resources null, and inherited", func(h *hardFile) { inherit(h); h.swap(4, own, "/Resources null") }, ""},
		{"resources no dictionary, and inherited", func(h *hardFile) { inherit(h); h.swap(4, own, "/Resources[]") }, ""},
		{"resources over two references", func(h *hardFile) {
			h.set(30, "31 0 R")
			h.set(31, "<</Font<</F1 3 0 R>>>>")
			h.swap(4, own, "/Resources 30 0 R")
		}, ""},
		{"parent is another", func(h *hardFile) {
			inherit(h)
			h.swap(4, own, "")
			h.swap(4, "/Parent 2 0 R", "/Parent 30 0 R")
			h.set(30, "<</Type/Pages/Kids[]/Count 0/Resources<</Font<<>>>>>>")
		}, ""},
		{"generation of the page", func(h *hardFile) { h.swap(2, "4 0 R", "4 2 R") }, "do not find the contents"},
		{"generation of the contents", func(h *hardFile) { h.swap(4, contents, "/Contents[5 7 R]") }, "do not find the contents"},
		{"contents over two references", func(h *hardFile) { h.set(30, "5 0 R"); h.swap(4, contents, "/Contents 30 0 R") }, "do not find the contents"},
		{"length below zero", func(h *hardFile) { h.set(5, "<</Length -1>>\nstream\n"+ground+"\nendstream") }, "do not find the contents"},
		{"gaps", func(h *hardFile) { h.swap(4, contents, "/Contents[null 5 0 R]") }, "lists contents that are not there"},
	} {
		h := newHard()
		tt.build(h)
		var k sealed
		st, err := s.Stamp(t.Context(), h.build(), pdfstamp.Placement{}, payload.Reference{1}, side, k.seal(payload.Reference{1}))
		if tt.warn == "" {
			if fault.As(err).Code != fault.CodePDFNotStampable || !strings.Contains(err.Error(), "viewers do not agree") {
				t.Errorf("%s: %v, want a refusal", tt.name, err)
			}
		} else if err != nil || !strings.Contains(strings.Join(st.Warnings, "; "), tt.warn) {
			t.Errorf("%s: %q, %v; want %q", tt.name, st.Warnings, err, tt.warn)
		}
	}
}
