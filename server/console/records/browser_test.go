package records_test

import (
	"strings"
	"testing"

	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
)

// TestScreens: an issuer finds a stamp, suspends it, revokes it with the typed end of its
// reference, suspends all that match, and looks at a document, in Chromium; every screen
// passes axe, in English and Arabic, and texts of people stay texts.
//
//engine:sqlite the screens are the same on both
func TestScreens(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	s := consoletest.Open(t, w)
	s.As(consoletest.Ruth(account.Issuer))
	x := &bench{w, nil, w.Identity("ACME01")}
	s.At("/console/stamps")
	s.Is("/console/stamps", "Stamps")
	s.Look("stamps-none")
	st := x.stamp(x.id, consoletest.Hostile[0], consoletest.Hostile[1])
	for _, text := range consoletest.Hostile[2:5] {
		x.stamp(x.id, text, "")
	}
	tpl := x.template(x.id)
	doc, err := x.Admin.Documents.Issue(t.Context(), x.id, trustdoc.Issuance{TemplateID: tpl.ID, RecipientName: consoletest.Hostile[0], Title: consoletest.Hostile[1], Fields: values("degree", consoletest.Hostile[2])})
	harness.Must(t, err)

	s.At("/console/stamps")
	if got := consoletest.Eval[string](s, `[...document.querySelectorAll('tbody bdi')].map(e => e.textContent).join()`); !strings.Contains(got, consoletest.Hostile[0]) {
		t.Errorf("names are shown as %q", got)
	}
	s.Look("stamps")
	s.Fill("find", st.Reference.String())
	at := "/console/stamps/" + st.ID
	if got := consoletest.Eval[string](s, `location.pathname`); got != at {
		t.Fatalf("the search leads to %s", got)
	}
	s.Look("stamp")
	s.At(at + "/act/suspend")
	s.Look("suspend")
	s.Fill("reason", "fee not paid")
	consoletest.Eval[bool](s, `!!document.querySelector('.notice').textContent.includes('It is suspended.') || (() => { throw 'no notice' })()`)
	s.At(at + "/act/revoke")
	s.Quiet()
	s.Fill("reason", "fraud", "typed", "0000")
	s.Look("revoke-wrong")
	s.Forgive() // a refused form is an error of its page
	ref := st.Reference.String()
	s.Fill("typed", ref[len(ref)-4:])
	if got, err := x.Admin.Stamps.Get(t.Context(), "ACME01", st.ID); err != nil || got.Status != stamp.Revoked {
		t.Errorf("%v %v", got.Status, err)
	}
	s.Look("stamp-revoked")

	s.At("/console/stamps?search=stranger")
	s.Look("stamps-no-match")
	s.At("/console/stamps/choose?all=1&action=suspend&type=DIP")
	s.Look("choose")
	s.Fill("reason", "recount", "typed", "suspend 3")
	s.Until(`document.getElementById('order-h').textContent.includes('Done')`) // the page refreshes itself
	s.Look("order")
	if page, err := x.Admin.Stamps.List(t.Context(), "ACME01", stamp.Filter{Statuses: []stamp.Status{stamp.Suspended}}); err != nil || page.TotalCount != 3 {
		t.Errorf("%d suspended, %v", page.TotalCount, err)
	}

	s.At("/console/documents")
	s.Is("/console/documents", "Trust documents")
	s.Look("documents")
	s.At("/console/documents/" + doc.ID)
	s.Look("document")
	s.At("/console/documents/" + doc.ID + "/replace")
	s.Look("document-replace")
	s.At("/console/documents/new?template=" + tpl.ID)
	s.Look("document-new")
	s.Fill("recipient", "Ada Byron", "field0", "Mathematics")
	if got := consoletest.Eval[string](s, `document.querySelector('main').textContent`); !strings.Contains(got, "The document is issued.") {
		t.Errorf("%s", got)
	}
	s.Language("ar")
	s.Look("document-ar")
	s.At("/console/documents/" + doc.ID + "/replace")
	s.Look("document-replace-ar")

	// A refusal is in the language of the screen.
	s.Quiet()
	s.Language("de")
	consoletest.Eval[bool](s, `(() => { const f = document.getElementById('reason').form.elements; document.getElementById('reason').form.noValidate = true;
		f.generate.checked = true; f.path.value = 'digital'; f.email.value = 'x'; f.reason.value = 'x'; return true })()`)
	ref = doc.Reference.String()
	s.Fill("typed", ref[len(ref)-4:])
	s.Forgive()
	said := consoletest.Eval[string](s, `[...document.querySelectorAll('.wrong, .notice')].map(e => e.textContent).join() + document.querySelectorAll('bdi[lang=en]').length`)
	for _, want := range []string{"Muss eine E-Mail-Adresse wie name@example.org sein", "Eine gezeichnete Urkunde braucht eine Form mit Stempel", "Es fehlen Angaben"} {
		if !strings.Contains(said, want) || !strings.HasSuffix(said, "0") {
			t.Errorf("no %q in %s", want, said)
		}
	}
	if consoletest.Eval[bool](s, `document.getElementById('path').scrollIntoView(), document.getElementById('path').getBoundingClientRect().top < document.querySelector('.bar').getBoundingClientRect().bottom`) {
		t.Error("the bar covers a field that a link leads to")
	}
	s.Look("document-refused-de")
	s.Language("ar")
	s.At("/console/stamps")
	s.Look("stamps-ar")
	s.At("/console/stamps/choose?all=1&action=revoke")
	s.Look("choose-ar")
	if consoletest.Eval[bool](s, `!!window.hit`) {
		t.Error("a text has run")
	}
	s.Quiet()
}
