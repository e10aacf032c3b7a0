package stampdesk_test

import (
	"bytes"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/httpapi"
	"tcode/server/internal/harness"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/platform/draft"
	"tcode/server/tenant"
)

// plain starts a gateway that draws nothing, and a user of a role.
func plain(t *testing.T, role account.Role) (*consoletest.World, *consoletest.Browser) {
	t.Helper()
	w, b, _ := plainSecret(t, role)
	return w, b
}

// plainSecret is plain with the secret of the user's second factor.
func plainSecret(t *testing.T, role account.Role) (*consoletest.World, *consoletest.Browser, string) {
	t.Helper()
	w := consoletest.NewWorld(t, func(c *server.Config) { limits := httpapi.DefaultLimits(); limits.MaxPDF = 1 << 20; c.Limits = &limits })
	b := w.Browser("browser")
	return w, b, b.Enrol(w.Invite(consoletest.Ruth(role)))
}

// open opens a file, and returns the address of its editor.
func open(t *testing.T, b *consoletest.Browser, name string, file []byte) string {
	t.Helper()
	r := b.Upload("/console/stamp", name, file)
	at := r.Header.Get("Location")
	if r.StatusCode != 303 || !strings.HasPrefix(at, "/console/stamp/") {
		t.Fatalf("%s: %d to %q\n%.500s", name, r.StatusCode, at, r.Text)
	}
	return at
}

// filled is the editor's form with what a stamp needs.
func filled(do string, more ...string) url.Values {
	f := url.Values{"do": {do}, "name": {"Letter"}, "documentTypeCode": {"LTR"}, "at": {"margins"}, "anchor": {"bottom-right"}, "scope": {"first"}, "box": {"on"}}
	for i := 0; i < len(more); i += 2 {
		f.Set(more[i], more[i+1])
	}
	return f
}

// count returns the number of stamps of ACME01.
func count(t *testing.T, w *consoletest.World) []stamp.Summary {
	t.Helper()
	page, err := w.Admin.Stamps.List(t.Context(), "ACME01", stamp.Filter{})
	harness.Must(t, err)
	return page.Items
}

// drafts returns the number of files of drafts on the disk.
func drafts(t *testing.T, w *consoletest.World) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(w.Dir, "drafts", "*", "*.file"))
	harness.Must(t, err)
	return len(names)
}

// TestStamp: the form makes one stamp of a draft, with its fields, and the file goes. Ten
// concurrent clicks make one, too.
func TestStamp(t *testing.T) {
	t.Parallel()
	w, b := plain(t, account.Issuer)
	id := tenant.Identity{Tenant: harnessTenant(t, w)}
	fields, err := w.Admin.Templates.Create(t.Context(), id, tdoc.Spec{Name: "Diploma fields", CustomFields: []tdoc.Field{
		{Key: "holder", Label: "Holder", Required: true, InPayload: true}, {Key: "points", Type: tdoc.Number},
	}}, nil, nil)
	harness.Must(t, err)
	at := open(t, b, "letter.pdf", harness.PDF("letter"))
	form := filled("stamp", "tdoc", fields.ID, "externalId", "D-1")
	for want, r := range map[string]consoletest.Response{
		"must have a value":  b.Want(at, form, 400, ""),
		"must be":            b.Want(at, filled("stamp", "tdoc", fields.ID, "field.holder", "Ada", "field.points", "many"), 400, ""),
		"Must be 0 to 209.9": b.Want(at, filled("look", "at", "point", "x", "999", "y", "5"), 200, ""),
		"Type a number":      b.Want(at, filled("look", "at", "point"), 200, ""),
		"must not be empty":  b.Want(at, filled("stamp", "name", ""), 400, ""),
	} {
		if !strings.Contains(r.Text, want) || !strings.Contains(r.Text, "aria-invalid") && want != "must have a value" {
			t.Errorf("no %q: %s", want, regexp.MustCompile(`class="wrong">.*`).FindString(r.Text))
		}
	}
	if n := count(t, w); len(n) != 0 {
		t.Fatalf("%d stamps of refused forms", len(n))
	}
	form.Set("field.holder", "Ada Byron")
	form.Set("field.points", "42")
	var clicks sync.WaitGroup
	for range 10 {
		clicks.Go(func() {
			if r := b.Send(at, form); r.StatusCode != 303 || r.Header.Get("Location") != at {
				t.Errorf("a click: %d to %q", r.StatusCode, r.Header.Get("Location"))
			}
		})
	}
	clicks.Wait()
	made := count(t, w)
	if len(made) != 1 || made[0].ExternalID != "D-1" {
		t.Fatalf("stamps %+v", made)
	}
	st, err := w.Admin.Stamps.Get(t.Context(), "ACME01", made[0].ID)
	harness.Must(t, err)
	if len(st.Fields) != 1 || st.Fields[0].Value != "Ada Byron" || len(st.Values) != 2 || st.TdocTemplateID != fields.ID {
		t.Errorf("stamp %+v", st)
	}
	if n := drafts(t, w); n != 0 {
		t.Errorf("%d files of drafts are left", n)
	}
	done := b.Want(at, nil, 200, "").Text
	if !strings.Contains(done, st.Reference.String()) || !strings.Contains(done, "letter-stamped.pdf") {
		t.Error("the screen does not show the stamp")
	}
	file := b.Want(at+"/stamped", nil, 200, "")
	if !strings.HasPrefix(file.Text, "%PDF-") || !strings.Contains(file.Header.Get("Content-Disposition"), "letter-stamped.pdf") || !strings.HasPrefix(file.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("download %v", file.Header)
	}
	// The next one has the same settings, and the number is taken.
	next := b.Upload(at+"/file", "next.pdf", harness.PDF("next")).Header.Get("Location")
	page := b.Want(next, nil, 200, "").Text
	if !strings.Contains(page, `value="LTR" selected`) || strings.Contains(page, "Ada Byron") || strings.Contains(page, "D-1") {
		t.Error("the next document does not begin with the settings alone")
	}
	if r := b.Want(next, form, 409, ""); !strings.Contains(r.Text, st.Reference.String()) {
		t.Error("a taken number does not name the stamp")
	}
	b.Want(next, url.Values{"do": {"drop"}}, 303, "/console/stamp")
	b.Want(next, nil, 404, "")
}

// harnessTenant returns ACME01.
func harnessTenant(t *testing.T, w *consoletest.World) tenant.Tenant {
	t.Helper()
	one, err := w.Admin.Tenants.Tenant(t.Context(), "ACME01")
	harness.Must(t, err)
	return one
}

// TestDraftsArePrivate: no session but the one that opened a file sees, changes or stamps
// it, and it goes after its life.
func TestDraftsArePrivate(t *testing.T) {
	t.Parallel()
	w, b, key := plainSecret(t, account.Issuer)
	at := open(t, b, "secret.pdf", harness.PDF("secret"))
	b.Want(at+"/page/1", nil, 200, "")
	_, err := w.Admin.Tenants.CreateTenant(t.Context(), "Other", "OTHER1")
	harness.Must(t, err)
	users := map[string]account.Spec{
		"colleague": {Tenant: "ACME01", Email: "sam@acme.example", Role: account.Owner},
		"other":     {Tenant: "OTHER1", Email: "eve@other.example", Role: account.Owner},
	}
	for who, spec := range users {
		stranger := w.Browser("browser")
		stranger.Enrol(w.Invite(spec))
		for _, path := range []string{at, at + "/page/1", at + "/stamped", strings.Replace(at, "/stamp/", "/templates/placements/", 1)} {
			if r := stranger.Send(path, nil); r.StatusCode != 404 || strings.Contains(r.Text, "secret") {
				t.Errorf("%s reads %s: %d", who, path, r.StatusCode)
			}
		}
		for _, do := range []string{"look", "stamp", "drop", "nearest", "save"} {
			if r := stranger.Send(at, filled(do)); r.StatusCode != 404 {
				t.Errorf("%s does %s: %d", who, do, r.StatusCode)
			}
		}
		if r := stranger.Upload(at+"/file", "x.pdf", harness.PDF("x")); r.StatusCode != 404 {
			t.Errorf("%s replaces the file: %d", who, r.StatusCode)
		}
		if r := stranger.Want("/console/stamp", nil, 200, ""); strings.Contains(r.Text, "secret.pdf") {
			t.Errorf("%s sees its name", who)
		}
	}
	again := w.Browser("browser")
	again.SignIn(key)
	again.Want(at, nil, 404, "")
	again.Want(at+"/page/1", nil, 404, "")
	if r := b.Want("/console/stamp", nil, 200, ""); !strings.Contains(r.Text, "secret.pdf") {
		t.Error("its owner does not see its name")
	}
	if len(count(t, w)) != 0 {
		t.Error("a stranger made a stamp")
	}
	b.Want(at+"/page/2", nil, 404, "")
	b.Want(at+"/page/x", nil, 404, "")
	w.Clock.Add(draft.DefaultLife)
	w.Admin.Drafts.Sweep()
	if n := drafts(t, w); n != 0 {
		t.Errorf("%d files after their life", n)
	}
}

// TestFiles: a file that cannot be stamped is refused with a sentence, and not kept.
func TestFiles(t *testing.T) {
	t.Parallel()
	w, b := plain(t, account.Issuer)
	deep := append(bytes.Repeat([]byte("["), 200_000), []byte("%PDF-")...)
	for name, tt := range map[string]struct {
		file   []byte
		status int
		want   string
	}{
		"empty.pdf":  {nil, 422, "Choose a file first"},
		"note.txt":   {[]byte("no document"), 422, "not a PDF or a picture"},
		"head.pdf":   {[]byte("%PDF-1.7\n"), 422, "class=\"notice notice--refuse\""},
		"deep.pdf":   {append([]byte("%PDF-1.7\n1 0 obj\n"), deep...), 422, "class=\"notice notice--refuse\""},
		"loop.pdf":   {[]byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[2 0 R]/Count 1>>endobj\ntrailer<</Root 1 0 R>>"), 422, "class=\"notice notice--refuse\""},
		"locked.pdf": {[]byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R/Encrypt<</Filter/Standard/V 9/R 9>>>>"), 422, "class=\"notice notice--refuse\""},
		"large.pdf":  {append(harness.PDF("x"), make([]byte, 1<<20+1)...), 422, "too large"},
		"huge.pdf":   {make([]byte, 2<<20), 413, "too large"},
	} {
		if r := b.Upload("/console/stamp", name, tt.file); r.StatusCode != tt.status || !strings.Contains(r.Text, tt.want) {
			t.Errorf("%s: %d %q", name, r.StatusCode, regexp.MustCompile(`(?s)<main.{0,900}`).FindString(r.Text))
		}
	}
	if n := drafts(t, w); n != 0 {
		t.Errorf("%d refused files are kept", n)
	}
	b.Want("/console/stamp", url.Values{"file": {"x"}}, 422, "")
	for range 7 {
		open(t, b, "many.pdf", harness.PDF("many"))
	}
	if n := drafts(t, w); n != draft.DefaultEach {
		t.Errorf("%d files are kept, want %d", n, draft.DefaultEach)
	}
	if at := open(t, b, strings.Repeat("é", 300)+`\..\<script>.pdf`, harness.PDF("name")); strings.Contains(b.Want(at, nil, 200, "").Text, "<script>.pdf") {
		t.Error("a file's name became an element")
	}
}

// TestPlacements: templates are made, loaded, changed and archived; the form keeps every
// setting of one.
func TestPlacements(t *testing.T) {
	t.Parallel()
	w, b := plain(t, account.Owner)
	const list = "/console/templates/placements"
	if r := b.Want(list, nil, 200, ""); !strings.Contains(r.Text, "No placement templates yet") {
		t.Error("no word for an empty list")
	}
	at := b.Send(list, url.Values{}).Header.Get("Location")
	if r := b.Want(at, filled("save"), 400, ""); !strings.Contains(r.Text, "must not be empty") {
		t.Error("a template without a name")
	}
	b.Want(at, filled("save", "templateName", "Corner", "at", "point", "x", "105", "y", "148.5", "anchor", "center", "size", "21", "clash", "reject", "caption", "on", "captionText", "Check", "captionSide", "right"), 303, list+"?done=saved")
	b.Want(at, nil, 404, "") // its sample is gone
	all, err := w.Admin.Placements.List(t.Context(), "ACME01")
	harness.Must(t, err)
	if len(all) != 1 || all[0].Name != "Corner" || !near(210**all[0].XNorm, 105) || !near(297**all[0].YNorm, 148.5) || !near(210**all[0].WNorm, 21) || all[0].ScanSafety.Collision != placement.CollisionReject || all[0].Caption.Text != "Check" {
		t.Fatalf("%+v", all)
	}
	id := all[0].ID
	edit := b.Send(list+"/"+id+"/edit", url.Values{}).Header.Get("Location")
	form := inputs(b.Want(edit, nil, 200, "").Text)
	if form.Get("x") != "105" || form.Get("size") != "21" || form.Get("anchor") != "center" || form.Get("captionText") != "Check" || form.Get("templateName") != "Corner" {
		t.Errorf("loaded %v", form)
	}
	// A stamp made with the form as it was loaded names the template; with another place it does not.
	for i, tt := range []struct{ x, want string }{{"", id}, {"100", ""}} {
		sheet := open(t, b, "a.pdf", harness.PDF("a"))
		loaded := inputs(b.Want(sheet, filled("load", "placement", id), 200, "").Text)
		loaded.Set("do", "stamp")
		if tt.x != "" {
			loaded.Set("x", tt.x)
		}
		b.Want(sheet, loaded, 303, sheet)
		st, err := w.Admin.Stamps.Get(t.Context(), "ACME01", count(t, w)[0].ID)
		harness.Must(t, err)
		if len(count(t, w)) != i+1 || st.PlacementTemplateID != tt.want {
			t.Errorf("at %s: template %q, want %q", tt.x, st.PlacementTemplateID, tt.want)
		}
	}
	form.Set("do", "update")
	form.Set("templateName", "Middle")
	b.Want(edit, form, 303, list+"?done=saved")
	late := b.Send(list+"/"+id+"/edit", url.Values{}).Header.Get("Location")
	_, err = w.Admin.Placements.Update(t.Context(), tenant.Identity{Tenant: harnessTenant(t, w)}, id, nil, placement.Spec{Name: "Meanwhile"})
	harness.Must(t, err)
	if r := b.Want(late, form, 400, ""); !strings.Contains(r.Text, "changed or archived meanwhile") {
		t.Error("a change in between is lost")
	}
	b.Want(list+"/"+id+"/archive", url.Values{"confirm": {"Middle"}}, 400, "")
	b.Want(list+"/"+id+"/archive", nil, 200, "")
	b.Want(list+"/"+id+"/archive", url.Values{"confirm": {"Meanwhile"}}, 303, list+"?done=archived")
	b.Want(list+"/"+id+"/archive", nil, 404, "")
	b.Want(list+"/"+id+"/edit", url.Values{}, 404, "")
}

var (
	textInput  = regexp.MustCompile(`<input class="input" id="[^"]*" name="([^"]*)"[^>]* value="([^"]*)"`)
	checked    = regexp.MustCompile(`<input type="(?:radio|checkbox)" name="([^"]*)" value="([^"]*)" checked`)
	hidden     = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)
	selectList = regexp.MustCompile(`<select class="select" id="[^"]*" name="([^"]*)".*?<option value="([^"]*)" selected`)
)

// inputs returns what a browser would send of an editor's form.
func inputs(page string) url.Values {
	out := url.Values{"name": {"Letter"}, "documentTypeCode": {"LTR"}}
	page = page[strings.Index(page, `<form id="desk"`):]
	for _, kind := range []*regexp.Regexp{textInput, checked, hidden} {
		for _, m := range kind.FindAllStringSubmatch(page, -1) {
			if m[1] != "name" {
				out.Set(m[1], m[2])
			}
		}
	}
	for _, part := range strings.Split(page, "</select>") {
		if m := selectList.FindStringSubmatch(part); m != nil {
			out.Set(m[1], m[2])
		}
	}
	return out
}

// TestHostile: texts of people stay text.
func TestHostile(t *testing.T) {
	t.Parallel()
	_, b := plain(t, account.Issuer)
	at := open(t, b, "a.pdf", harness.PDF("a"))
	for _, text := range consoletest.Hostile {
		form := filled("look", "name", text, "externalId", text, "captionText", text, "templateName", text, "x", text, "custom", text, "size", text, "tdoc", text, "placement", text, "field."+text, text)
		r := b.Send(at, form)
		if r.StatusCode != http.StatusOK {
			t.Errorf("%q: %d", text, r.StatusCode)
		}
		for _, bad := range []string{"<script>window", "<img src=x", "<base ", "<form action=https"} {
			if strings.Contains(r.Text, bad) {
				t.Errorf("%q became an element", text)
			}
		}
	}
}
