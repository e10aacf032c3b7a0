package privacydesk_test

import (
	"archive/zip"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/spool"
	"tcode/server/privacy"
	"tcode/server/tenant"
	"tcode/server/verify"
)

func TestMain(m *testing.M) { harness.Main(m) }

const home = "/console/privacy"

// has checks that a page has parts, and lacks those that begin with "!".
func has(t *testing.T, page string, parts ...string) {
	t.Helper()
	page = html.UnescapeString(page)
	for _, p := range parts {
		p, not := strings.CutPrefix(p, "!")
		if strings.Contains(page, p) == not {
			t.Errorf("%q is in the page: %v\n%.6000s", p, not, page[strings.Index(page, `id="main"`):])
		}
	}
}

// users are an owner and a viewer of ACME01.
func users(w *consoletest.World) (owner, viewer *consoletest.Browser) {
	owner, viewer = w.Browser("browser"), w.Browser("viewer")
	owner.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	viewer.Enrol(w.Invite(account.Spec{Tenant: "ACME01", Email: "vi@acme.example", Role: account.Viewer}))
	return owner, viewer
}

// last returns the newest row of the audit log with an action.
func last(w *consoletest.World, action string) (e tenant.Entry) {
	w.T.Helper()
	log, err := w.Admin.Tenants.Audit(w.T.Context(), tenant.AuditFilter{Tenant: "ACME01", Action: action, Limit: 1})
	harness.Must(w.T, err)
	if len(log) == 0 {
		w.T.Fatalf("no row with the action %s", action)
	}
	return log[0]
}

// made makes a stamp.
func made(w *consoletest.World, id tenant.Identity, name, external string) stamp.Stamp {
	w.T.Helper()
	st, err := w.Admin.Stamps.Create(w.T.Context(), id, stamp.Request{Name: name, DocumentTypeCode: "DIP", ExternalID: external, PDF: spool.Bytes(harness.PDF(name))})
	harness.Must(w.T, err)
	return st
}

// issued issues a Trust document, with a stamp.
func issued(w *consoletest.World, id tenant.Identity, recipient string) trustdoc.Document {
	w.T.Helper()
	spec := trustdoc.Spec{Name: "Diplomas", DocumentTypeCode: "DIP"}
	tpl, err := w.Admin.Documents.CreateTemplate(w.T.Context(), id, spec, nil, nil)
	harness.Must(w.T, err)
	d, err := w.Admin.Documents.Issue(w.T.Context(), id, trustdoc.Issuance{TemplateID: tpl.ID, RecipientName: recipient, RecipientEmail: "ada@example.org", Title: "Diploma", Path: trustdoc.PathBoth, PDF: spool.Bytes(harness.PDF(recipient))})
	harness.Must(w.T, err)
	return d
}

// times are the fields of the form of times.
func times(change ...string) url.Values {
	in := url.Values{
		"days-history": {"730"}, "days-scans": {"730"}, "days-locations": {"90"}, "days-mails": {"365"}, "days-uploads": {"90"},
		"days-originals": {""}, "forever-originals": {"on"}, "days-stamped": {""}, "forever-stamped": {"on"},
	}
	for i := 0; i < len(change); i += 2 {
		in.Set(change[i], change[i+1])
	}
	return in
}

// TestRetention: an owner sets times; wrong ones are named with what was typed, and shorter
// ones are confirmed first. Everyone reads the times and what the last sweep removed.
func TestRetention(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	owner, viewer := users(w)
	ctx := t.Context()
	set := func() privacy.Settings {
		t.Helper()
		s, err := w.Admin.Privacy.Retention(ctx, "ACME01")
		harness.Must(t, err)
		return s
	}
	has(t, owner.Want(home, nil, 200, "").Text, "The first clearing comes within the hour", `value="730"`, "nothing yet", "30 to 3650 days")
	page := viewer.Want(home, nil, 200, "").Text
	has(t, page, "730 days", "fixed", "!inputmode", "!forever-", "!Erase a document", "!Export everything")
	viewer.Want(home+"/retention", times(), 403, "")

	page = owner.Want(home+"/retention", times("days-history", "5", "days-scans", "<b>x", "days-mails", "-1", "days-uploads", "99999"), 400, "").Text
	has(t, page, "Some times cannot be kept", `value="5"`, `value="-1"`, "30 to 3650 days")
	consoletest.StaysText(t, "<b>x", page)
	if n := strings.Count(page, `aria-invalid="true"`); n != 4 || len(set()) != 0 {
		t.Errorf("%d fields are wrong, %v is set", n, set())
	}
	// A longer time needs no confirmation, and one that is the default is not set.
	longer := times("days-history", "800")
	owner.Want(home+"/retention", longer, 303, home+"?done=kept")
	if got := set(); fmt.Sprint(got) != "map[history:800]" {
		t.Errorf("set %v", got)
	}
	if e := last(w, privacy.ActionRetention); e.By.Actor != tenant.ActorUser || e.By.Name == "" || e.Detail["history"] != "800" {
		t.Errorf("audit %+v", e)
	}
	shorter := times("days-history", "30", "days-originals", "7")
	shorter.Del("forever-originals")
	has(t, owner.Want(home+"/retention", shorter, 200, "").Text, "Keep data for a shorter time?", "800 days, from now on 30 days", "forever, from now on 7 days", "!Scans", `name="days-history" value="30"`)
	shorter.Set("typed", "OTHER1")
	has(t, owner.Want(home+"/retention", shorter, 400, "").Text, "This is not what has to be typed")
	if set()[privacy.History] != 800 {
		t.Error("a time was changed without its confirmation")
	}
	shorter.Set("typed", "acme01")
	owner.Want(home+"/retention", shorter, 303, home+"?done=kept")
	if got := set(); fmt.Sprint(got) != "map[history:30 originals:7]" {
		t.Errorf("set %v", got)
	}
	made(w, w.Identity("ACME01"), "ours", "")
	w.Clock.Add(8 * 24 * time.Hour)
	harness.Must(t, w.Admin.Privacy.Sweep(ctx))
	owner.SignIn(owner.Secret())
	has(t, owner.Want(home, nil, 200, "").Text, "Last clearing:", `<td class="tight">1<time class="sub"`)
	for _, text := range consoletest.Hostile {
		consoletest.StaysText(t, strings.TrimSpace(text), owner.Send(home+"/retention", times("days-history", text)).Text)
	}
}

// TestErase: an owner finds a record by its reference, and erases it with a reason and its
// reference typed. Its screen says when and by whom; it is verified as before.
func TestErase(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	owner, viewer := users(w)
	ctx, id := t.Context(), w.Identity("ACME01")
	st, doc := made(w, id, "Diploma of Ada Lovelace", "D-1"), issued(w, id, "Ada Lovelace")
	_, err := w.Admin.Tenants.CreateTenant(ctx, "Other", "OTHER1")
	harness.Must(t, err)
	foreign := made(w, w.Identity("OTHER1"), "theirs", "")
	has(t, owner.Want(home, nil, 200, "").Text, "Nothing was erased yet", "Nothing was exported yet")

	ofStamp, ofDoc := home+"/erase/stamp/"+st.ID, home+"/erase/document/"+doc.ID
	find := func(reference string) string { return home + "/erase?" + url.Values{"reference": {reference}}.Encode() }
	owner.Want(find(" "+strings.ToLower(st.Reference.String())+" "), nil, 303, ofStamp)
	owner.Want(find(doc.Reference.String()), nil, 303, ofDoc)
	has(t, owner.Want(find("hello"), nil, 400, "").Text, "This is no reference", `value="hello"`)
	has(t, owner.Want(find(foreign.Reference.String()), nil, 404, "").Text, "no such stamp or document")
	has(t, owner.Want(find("TRF-0000000000000000"), nil, 404, "").Text, "no such stamp or document")
	owner.Want(home+"/erase/stamp/"+doc.Stamp.ID, nil, 303, find(doc.Reference.String()))
	for _, path := range []string{"/erase/stamp/" + foreign.ID, "/erase/stamp/" + doc.ID, "/erase/document/" + st.ID, "/erase/tenant/" + st.ID, "/erase/stamp/x"} {
		owner.Want(home+path, nil, 404, "")
		owner.Want(home+path, url.Values{"reason": {"asked"}, "typed": {foreign.Reference.String()}}, 404, "")
	}
	has(t, owner.Want("/console/stamps/"+st.ID, nil, 200, "").Text, `href="`+ofStamp+`"`, "!were erased")
	has(t, viewer.Want("/console/stamps/"+st.ID, nil, 200, "").Text, "!"+ofStamp)
	viewer.Want(ofStamp, nil, 403, "")

	has(t, owner.Want(ofStamp, nil, 200, "").Text, "Erase files and personal data?", st.Reference.String(), "Diploma of Ada Lovelace", "Files: 4", "erased by the issuer", "Backups that were made before")
	for _, in := range []url.Values{{}, {"reason": {"because I say so"}, "typed": {st.Reference.String()}}, {"reason": {"asked"}, "typed": {"TCR-1"}}} {
		has(t, owner.Want(ofStamp, in, 400, "").Text, `aria-invalid="true"`)
	}
	for _, text := range consoletest.Hostile {
		consoletest.StaysText(t, "", owner.Want(ofStamp, url.Values{"reason": {text}, "typed": {text}}, 400, "").Text)
		consoletest.StaysText(t, strings.TrimSpace(text), owner.Want(find(text), nil, 400, "").Text)
	}
	if got, err := w.Admin.Stamps.Get(ctx, "ACME01", st.ID); err != nil || got.Erased() {
		t.Fatalf("erased without a confirmation: %v", err)
	}
	owner.Want(ofStamp, url.Values{"reason": {"asked"}, "typed": {strings.ToLower(strings.ReplaceAll(st.Reference.String(), "-", " "))}}, 303, "/console/stamps/"+st.ID+"?done=erased")
	owner.Want(ofDoc, url.Values{"reason": {"unneeded"}, "typed": {doc.Reference.String()}}, 303, "/console/documents/"+doc.ID+"?done=erased")
	owner.Want(ofStamp, nil, 303, "/console/stamps/"+st.ID+"?done=already")
	if e := last(w, "document.erase"); e.By.Actor != tenant.ActorUser || e.Subject != doc.ID || e.Detail["reason"] != "unneeded" {
		t.Errorf("audit %+v", e)
	}
	page := owner.Want("/console/stamps/"+st.ID+"?done=erased", nil, 200, "").Text
	has(t, page, "Its files and personal data are erased", "were erased on", "by <bdi>Ruth Nakamura", "!Lovelace", "!D-1", "!"+ofStamp, "There is no file")
	has(t, owner.Want("/console/documents/"+doc.ID, nil, 200, "").Text, "were erased on", "by <bdi>Ruth Nakamura", "!Lovelace", "!ada@example.org")
	has(t, viewer.Want("/console/stamps/"+doc.Stamp.ID, nil, 200, "").Text, "were erased on", "Belongs to")
	page = owner.Want(home, nil, 200, "").Text
	has(t, page, st.Reference.String(), doc.Reference.String(), "The person asked for it", "The data is no longer needed", "Ruth Nakamura")
	got, err := w.Admin.Verify.ByReference(ctx, verify.Viewer{}, st.Reference.String())
	if err != nil || got.Verdict != verify.Valid {
		t.Errorf("after the erasure: %v %v", got.Verdict, err)
	}
}

// TestExport: an owner loads everything of the tenant as one archive, and the audit log and
// the screen say who did.
func TestExport(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	owner, viewer := users(w)
	st := made(w, w.Identity("ACME01"), "ours", "")
	viewer.Want(home+"/export", url.Values{}, 403, "")
	r := owner.Send(home+"/export", url.Values{})
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/zip" || r.Header.Get("Content-Disposition") != `attachment; filename="ACME01.zip"` {
		t.Fatalf("%d %v", r.StatusCode, r.Header)
	}
	z, err := zip.NewReader(strings.NewReader(r.Text), int64(len(r.Text)))
	harness.Must(t, err)
	names := map[string]bool{}
	for _, f := range z.File {
		names[f.Name] = true
	}
	for _, name := range []string{"README.txt", "tables/stamps.jsonl", "files/stamp/" + st.ID + "/stamped", "manifest.json"} {
		if !names[name] {
			t.Errorf("the archive has no %s: %v", name, names)
		}
	}
	if e := last(w, privacy.ActionExport); e.By.Actor != tenant.ActorUser || e.By.Name == "" || e.Subject != "ACME01" {
		t.Errorf("audit %+v", e)
	}
	has(t, owner.Want(home, nil, 200, "").Text, "Last exports", "Ruth Nakamura", "!Nothing was exported yet")
}
