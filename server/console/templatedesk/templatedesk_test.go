package templatedesk_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/issue/placement"
	"tcode/server/issue/tdoc"
	"tcode/server/issue/trustdoc"
)

func TestMain(m *testing.M) { harness.Main(m) }

// has checks that a text has parts, and lacks those that begin with "!".
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	text = html.UnescapeString(text)
	for _, p := range parts {
		p, not := strings.CutPrefix(p, "!")
		if strings.Contains(text, p) == not {
			at := max(0, strings.Index(text, "page-head"))
			t.Errorf("%q is in the page: %v\n%s", p, not, text[at:min(len(text), at+5000)])
		}
	}
}

// TestTemplates: a template of each kind is made field by field, refused with each problem
// at its field, changed, archived and restored; its CSV columns are as the service has them.
//
//engine:sqlite the screens are the same on both
func TestTemplates(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Issuer)))
	id := w.Identity("ACME01")
	has(t, b.Want("/console/templates", nil, 200, "").Text, "None yet", "/console/templates/trust/new", "/console/templates/placements")
	place, err := w.Admin.Placements.Create(t.Context(), id, placement.Spec{Name: "corner"}, nil, nil)
	harness.Must(t, err)
	has(t, b.Want("/console/templates", nil, 200, "").Text, "corner", "first page", "/console/templates/placements/"+place.ID+"/archive")

	form := url.Values{"n": {"1"}, "name": {"Diplomas"}, "type": {"DIP"}, "key0": {"degree"}, "type0": {"text"}, "required0": {"1"}, "do": {"add"}, "placement": {place.ID}}
	has(t, b.Want("/console/templates/trust/new", form, 200, "").Text, `name="key1"`, `value="degree"`, `value="Diplomas"`)
	form.Set("n", "2")
	form.Set("key1", "born")
	form.Set("type1", "date")
	form.Set("do", "up:1")
	text := b.Want("/console/templates/trust/new", form, 200, "").Text
	has(t, text, `name="key0" maxlength="100" value="born"`, `name="key1" maxlength="100" value="degree"`)
	form.Set("do", "remove:0")
	has(t, b.Want("/console/templates/trust/new", form, 200, "").Text, `value="born"`, `!value="degree"`)
	form.Del("do")
	bad := url.Values{"n": {"2"}, "key0": {"a"}, "key1": {"a"}, "max1": {"none"}, "type": {"???"}}
	has(t, b.Want("/console/templates/trust/new", bad, 400, "").Text, "must be 1 to 500")
	bad.Set("max1", "3")
	has(t, b.Want("/console/templates/trust/new", bad, 400, "").Text, "is the key of another field", "must not be empty", "unknown code")
	if ts, err := w.Admin.Documents.Templates(t.Context(), "ACME01", trustdoc.TemplateFilter{}); err != nil || ts.TotalCount != 0 {
		t.Fatalf("%d templates, %v", ts.TotalCount, err)
	}
	at := strings.TrimSuffix(b.Send("/console/templates/trust/new", form).Header.Get("Location"), "?done=saved")
	ts, err := w.Admin.Documents.Templates(t.Context(), "ACME01", trustdoc.TemplateFilter{})
	harness.Must(t, err)
	tpl := ts.Items[0]
	if at != "/console/templates/trust/"+tpl.ID || tpl.PlacementTemplateID != place.ID || len(tpl.Fields) != 2 || !tpl.Fields[0].Required || tpl.Fields[1].Type != "date" {
		t.Errorf("%s %+v", at, tpl)
	}
	edit := b.Want(at, nil, 200, "").Text
	has(t, edit, "Diplomas", "degree", "2026-01-31")
	form.Set("version", regexp.MustCompile(`name="version" value="(\d+)"`).FindStringSubmatch(edit)[1])
	form.Set("label0", "Degree awarded")
	b.Want(at, form, 303, at+"?done=saved")
	has(t, b.Want(at, form, 409, "").Text, "Another person has changed") // the old version
	has(t, b.Want(at+"?done=saved", nil, 200, "").Text, "The template is saved.", "Degree awarded")
	has(t, b.Want(at+"/columns.csv", nil, 200, "").Text, "\ufeffrecipientName,", ",degree,born\r\n", "2026-01-31")
	has(t, b.Want(at+"/archive", url.Values{}, 400, "").Text, "must not be empty")
	b.Want(at+"/archive", url.Values{"reason": {"replaced"}}, 303, "/console/templates?archived=1&done=archived")
	has(t, b.Want("/console/templates", nil, 200, "").Text, "!Diplomas")
	has(t, b.Want("/console/templates?archived=1&done=archived", nil, 200, "").Text, "Diplomas", "archived", "The template is archived.")
	b.Want(at+"/restore", url.Values{}, 303, "/console/templates?archived=1&done=restored")

	form = url.Values{"n": {"2"}, "name": {"=Letters"}, "type": {"LTR"}, "mode": {"tcode"}, "mails": {"1"}, "base": {"office\nroom"}, "key0": {"to"}, "label0": {"To"}, "payload0": {"1"}, "required0": {"1"}, "type0": {"text"}, "key1": {"UP"}, "payload1": {"1"}, "type1": {"text"}}
	has(t, b.Want("/console/templates/tdoc/new", form, 400, "").Text, "to be in the payload", "=Letters")
	form.Del("payload1")
	at = strings.TrimSuffix(b.Send("/console/templates/tdoc/new", form).Header.Get("Location"), "?done=saved")
	td, err := w.Admin.Templates.Get(t.Context(), "ACME01", strings.TrimPrefix(at, "/console/templates/tdoc/"))
	if err != nil || !td.EnableEmailSending || len(td.BaseFields) != 2 || len(td.CustomFields) != 2 || !td.CustomFields[0].InPayload || td.SuggestedDocType != "LTR" {
		t.Errorf("%+v %v", td, err)
	}
	has(t, b.Want(at+"/columns.csv", nil, 200, "").Text, "'=Letters")
	b.Want(at+"/archive", url.Values{}, 303, "/console/templates?archived=1&done=archived")
	if td, err = w.Admin.Templates.Get(t.Context(), "ACME01", td.ID); err != nil || td.Status != tdoc.Archived {
		t.Errorf("%v %v", td.Status, err)
	}

	_, err = w.Admin.Tenants.CreateTenant(t.Context(), "Other", "OTHER1")
	harness.Must(t, err)
	foreign, err := w.Admin.Documents.CreateTemplate(t.Context(), w.Identity("OTHER1"), trustdoc.Spec{Name: "Alien", DocumentTypeCode: "DIP"}, nil, nil)
	harness.Must(t, err)
	has(t, b.Want("/console/templates?archived=1", nil, 200, "").Text, "!Alien")
	for _, path := range []string{"", "/archive", "/columns.csv"} {
		b.Want("/console/templates/trust/"+foreign.ID+path, nil, 404, "")
	}
	b.Want("/console/templates/trust/"+foreign.ID, form, 404, "")
	b.Want("/console/templates/trust/"+foreign.ID+"/restore", url.Values{}, 404, "")
}

// TestScreens: the editor in Chromium: fields are added by its buttons, the preview follows
// what is typed, and the template is saved; axe passes, in English and Arabic.
//
//engine:sqlite the screens are the same on both
func TestScreens(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	s := consoletest.Open(t, w)
	s.As(consoletest.Ruth(account.Issuer))
	s.At("/console/templates")
	s.Is("/console/templates", "Templates")
	s.Look("templates-none")
	s.At("/console/templates/trust/new")
	s.Look("template-new")
	consoletest.Eval[bool](s, `(document.getElementById('type').value = 'DIP', true)`)
	consoletest.Eval[bool](s, `(document.getElementById('label0').value = 'Degree', document.getElementById('editor').dispatchEvent(new Event('input')), true)`)
	if got := consoletest.Eval[string](s, `document.querySelector('#preview [data-label="0"]').textContent`); got != "Degree" {
		t.Errorf("the preview shows %q", got)
	}
	s.Fill("key0", consoletest.Hostile[0], "name", consoletest.Hostile[1])
	s.Is(consoletest.Eval[string](s, `location.pathname`), consoletest.Hostile[1])
	s.Look("template")
	if ts, err := w.Admin.Documents.Templates(t.Context(), "ACME01", trustdoc.TemplateFilter{}); err != nil || ts.TotalCount != 1 || ts.Items[0].Fields[0].Key != consoletest.Hostile[0] {
		t.Errorf("%+v, %v", ts, err)
	}
	s.At("/console/templates/tdoc/new")
	s.Quiet()
	s.Fill("name", "Letters")
	s.Look("template-refused")
	s.Forgive() // a refused form is an error of its page
	s.At("/console/templates")
	s.Look("templates")
	s.Language("ar")
	s.Look("templates-ar")
	s.At("/console/templates/tdoc/new")
	s.Look("template-new-ar")
	if consoletest.Eval[bool](s, `!!window.hit`) {
		t.Error("a text has run")
	}
	s.Quiet()
}
