package records_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/spool"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

func TestMain(m *testing.M) { harness.Main(m) }

// bench is a gateway with an issuer at a browser.
type bench struct {
	*consoletest.World
	b  *consoletest.Browser
	id tenant.Identity
}

func newBench(t *testing.T, change ...func(*server.Config)) *bench {
	t.Helper()
	w := consoletest.NewWorld(t, change...)
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Issuer)))
	return &bench{w, b, w.Identity("ACME01")}
}

// stamp makes a stamp of a tenant.
func (x *bench) stamp(id tenant.Identity, name, external string) stamp.Stamp {
	x.T.Helper()
	st, err := x.Admin.Stamps.Create(x.T.Context(), id, stamp.Request{Name: name, DocumentTypeCode: "DIP", ExternalID: external, PDF: spool.Bytes(harness.PDF(name))})
	harness.Must(x.T, err)
	x.Clock.Add(time.Millisecond)
	return st
}

// template makes a Trust template of a tenant.
func (x *bench) template(id tenant.Identity) trustdoc.Template {
	x.T.Helper()
	spec := trustdoc.Spec{Name: "Diplomas", DocumentTypeCode: "DIP"}
	spec.Fields = append(spec.Fields, field("degree", "Degree", true), field("born", "Born", false))
	spec.Fields[1].Type = "date"
	t, err := x.Admin.Documents.CreateTemplate(x.T.Context(), id, spec, nil, nil)
	harness.Must(x.T, err)
	return t
}

// other makes another tenant.
func (x *bench) other() tenant.Identity {
	x.T.Helper()
	_, err := x.Admin.Tenants.CreateTenant(x.T.Context(), "Other", "OTHER1")
	harness.Must(x.T, err)
	return x.Identity("OTHER1")
}

// send sends a form with a file; no file if pdf is nil.
func (x *bench) send(path string, form url.Values, pdf []byte) (status int, to, text string) {
	x.T.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	for name, values := range form {
		harness.Must(x.T, m.WriteField(name, values[0]))
	}
	part, err := m.CreateFormFile("pdf", "a.pdf")
	harness.Must(x.T, err)
	_, _ = part.Write(pdf)
	harness.Must(x.T, m.Close())
	q, err := http.NewRequestWithContext(x.T.Context(), http.MethodPost, x.URL+path, &body)
	harness.Must(x.T, err)
	q.Header.Set("Content-Type", m.FormDataContentType())
	q.Header.Set("User-Agent", "browser")
	q.Header.Set("Origin", x.URL)
	q.Header.Set("Sec-Fetch-Site", "same-origin")
	q.AddCookie(x.b.Token())
	res, err := (&http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(q)
	harness.Must(x.T, err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	harness.Must(x.T, err)
	return res.StatusCode, res.Header.Get("Location"), string(raw)
}

// TestLists: search, filters, paging and order are in the address; members that are not
// valid are refused; a whole reference leads to its record, also of the other kind.
//
//engine:sqlite the screens are the same on both
func TestLists(t *testing.T) {
	t.Parallel()
	x := newBench(t)
	has(t, x.b.Want("/console/stamps", nil, 200, "").Text, "None yet")
	alien := x.stamp(x.other(), "Alien", "")
	one, two := x.stamp(x.id, "Diploma of Ada", "D-1"), x.stamp(x.id, "Letter to Bob", "=1+1")
	harness.Must(t, x.Admin.Stamps.Act(t.Context(), x.id, two.ID, stamp.ActionSuspend, "why"))
	tpl := x.template(x.id)
	doc, err := x.Admin.Documents.Issue(t.Context(), x.id, trustdoc.Issuance{TemplateID: tpl.ID, RecipientName: "Cleo", Title: "Medal", Fields: values("degree", "Gold")})
	harness.Must(t, err)
	for _, tt := range []struct{ query, parts string }{
		{"", "Diploma of Ada|Letter to Bob|!Alien|1 to 2 of 2"},
		{"?search=ada", "Diploma of Ada|!Letter"},
		{"?search=D-1", "Diploma of Ada|!Letter"},
		{"?status=Suspended", "Letter to Bob|!Diploma of Ada"},
		{"?type=DIP", "Diploma of Ada|Letter to Bob"},
		{"?type=TRN", "Nothing matches"},
		{"?template=" + tpl.ID, "Nothing matches"},
		{"?from=2001-01-01&to=2001-02-01", "Nothing matches"},
		{"?from=2001-01-01", "Diploma of Ada"},
		{"?test=test", "Nothing matches"},
		{"?test=live&sort=oldest", "Letter to Bob"},
		{"?page=2", "Nothing matches|!Diploma of Ada"},
		{"?search=stranger", "Nothing matches"},
	} {
		has(t, x.b.Want("/console/stamps"+tt.query, nil, 200, "").Text, strings.Split(tt.parts, "|")...)
	}
	for _, bad := range []string{"from=x", "to=2026-13-01", "type=%27", "status=Lost", "template=1", "test=maybe", "sort=name", "from=2026-01-02&to=2026-01-01"} {
		has(t, x.b.Want("/console/stamps?"+bad, nil, 400, "").Text, "was left out")
		x.b.Want("/console/stamps/export.csv?"+bad, nil, 400, "")
	}
	x.b.Want("/console/stamps?search="+url.QueryEscape(one.Reference.String()), nil, 303, "/console/stamps/"+one.ID)
	x.b.Want("/console/stamps?search="+doc.Reference.String(), nil, 303, "/console/documents?search="+doc.Reference.String())
	x.b.Want("/console/documents?search="+doc.Reference.String(), nil, 303, "/console/documents/"+doc.ID)
	x.b.Want("/console/documents?search="+one.Reference.String(), nil, 303, "/console/stamps?search="+one.Reference.String())
	has(t, x.b.Want("/console/documents?status=Active&type=DIP&template="+tpl.ID, nil, 200, "").Text, "Medal, Cleo", "1 to 1 of 1")
	has(t, x.b.Want("/console/stamps/"+one.ID, nil, 200, "").Text, "Diploma of Ada", "D-1", "Stamped", "<bdi>test</bdi>", "/v1/files/", "COMPARE", `href="/d/`+one.Reference.String())
	has(t, x.b.Want("/console/documents/"+doc.ID, nil, 200, "").Text, "Medal, Cleo", "Degree", "Gold", "Issued", "Diplomas")
	for _, foreign := range []string{"/console/stamps/" + alien.ID, "/console/stamps/" + alien.ID + "/act/revoke", "/console/stamps/" + alien.ID + "/replace", "/console/documents/" + one.ID, "/console/stamps/x"} {
		x.b.Want(foreign, nil, 404, "")
	}
	x.b.Want("/console/stamps/"+alien.ID+"/act/revoke", url.Values{"reason": {"x"}, "typed": {alien.Reference.String()[16:]}}, 404, "")

	res := x.b.Want("/console/stamps/export.csv?sort=oldest", nil, 200, "")
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(res.Text, "\ufeff"))).ReadAll()
	harness.Must(t, err)
	if len(rows) != 3 || !strings.HasPrefix(res.Text, "\ufeff") || rows[1][2] != "Diploma of Ada" || rows[2][4] != "'=1+1" || rows[2][1] != "Suspended" || res.Header.Get("Content-Disposition") != `attachment; filename="stamps.csv"` {
		t.Errorf("export %q %v", rows, res.Header)
	}
	has(t, x.b.Want("/console/documents/export.csv", nil, 200, "").Text, "Medal, Cleo", "!Ada")
}

// TestActs: an action takes a reason, and a grave one the typed end of the reference; the
// author is the user.
//
//engine:sqlite the screens are the same on both
func TestActs(t *testing.T) {
	t.Parallel()
	x := newBench(t)
	st := x.stamp(x.id, "Diploma of Ada", "")
	at := "/console/stamps/" + st.ID
	has(t, x.b.Want(at, nil, 200, "").Text, at+"/act/suspend", at+"/act/revoke", "!"+at+"/act/reactivate", at+"/replace")
	x.b.Want(at+"/act/reactivate", nil, 303, at+"?done=already")
	x.b.Want(at+"/act/erase", nil, 404, "")
	has(t, x.b.Want(at+"/act/suspend", url.Values{"reason": {" "}}, 400, "").Text, "Give a reason")
	has(t, x.b.Want(at+"/act/suspend", url.Values{"reason": {strings.Repeat("x", 501)}}, 400, "").Text, "too long")
	x.b.Want(at+"/act/suspend", url.Values{"reason": {"fee not paid"}}, 303, at+"?done=suspend")
	has(t, x.b.Want(at+"?done=suspend", nil, 200, "").Text, "It is suspended.", "fee not paid", "Ruth Nakamura", at+"/act/reactivate")
	x.b.Want(at+"/act/reactivate", url.Values{"reason": {"paid"}}, 303, at+"?done=reactivate")
	ref := st.Reference.String()
	has(t, x.b.Want(at+"/act/revoke", url.Values{"reason": {"fraud"}, "typed": {"0000"}}, 400, "").Text, "not what has to be typed", "fraud")
	x.b.Want(at+"/act/revoke", url.Values{"reason": {"fraud"}, "typed": {strings.ToLower(ref[len(ref)-4:])}}, 303, at+"?done=revoke")
	got, err := x.Admin.Stamps.Get(t.Context(), "ACME01", st.ID)
	if err != nil || got.Status != stamp.Revoked || got.Reason != "fraud" {
		t.Errorf("%v %v", got.Status, err)
	}
	has(t, x.b.Want(at, nil, 200, "").Text, "!"+at+"/act/", "!"+at+"/replace", "Revoked")
	has(t, x.b.Want(at+"?show=scans", nil, 200, "").Text, "Nothing of this kind")

	// A scan of a device and a look-up; the device's word and the gateway's stand side by side.
	_, err = x.Admin.Verify.Sync(t.Context(), wire.Batch{
		ID: "0196fb7e-0000-7000-8000-000000000001", ScannerID: "gate-2", SentAt: wire.TruncateMillis(x.Clock.Now()), Single: true,
		Items: []wire.Item{{ScanID: "0196fb7e-0000-7000-8000-000000000002", ScannedAt: wire.TruncateMillis(x.Clock.Now()), OfflineVerdict: "valid", Reference: ref, Context: wire.Context{Location: "Ferry <b>"}}},
	}, verify.Proof{})
	harness.Must(t, err)
	_, err = x.Admin.Verify.ByReference(t.Context(), verify.Viewer{}, ref)
	harness.Must(t, err)
	harness.Must(t, x.Admin.Verify.Flush(t.Context()))
	has(t, x.b.Want(at+"?show=scans", nil, 200, "").Text, "Scanned: REVOKED", "The device said VALID, the gateway said REVOKED.", "gate-2", "Ferry <b>", "Verified 1 times", "Scans 1", "!Reactivated")
	has(t, x.b.Want(at+"?show=changes", nil, 200, "").Text, "Reactivated", "!Scanned")

	viewer := x.Browser("viewer")
	spec := consoletest.Ruth(account.Viewer)
	spec.Email = "vera@acme.example"
	viewer.Enrol(x.Invite(spec))
	has(t, viewer.Want("/console/stamps", nil, 200, "").Text, "!checkbox", "!/console/stamp\"")
	has(t, viewer.Want(at, nil, 200, "").Text, "!/act/")
	viewer.Want("/console/stamps/choose?all=1&action=revoke", nil, 403, "")
}

// confirm returns the hidden fields of a page that confirms a choice.
func confirm(text string) url.Values {
	out := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`).FindAllStringSubmatch(text[strings.Index(text, `<form class="card`):], -1) {
		out.Add(m[1], m[2])
	}
	return out
}

// TestOrders: an order about all that match changes the records that its page counted,
// and no later one; an order that does not fit the page any more is refused.
//
//engine:sqlite the screens are the same on both
func TestOrders(t *testing.T) {
	t.Parallel()
	x := newBench(t)
	foreign := x.stamp(x.other(), "Diploma of Eve", "")
	var all []stamp.Stamp
	for i := range 4 {
		all = append(all, x.stamp(x.id, fmt.Sprint("Diploma ", i), ""))
	}
	harness.Must(t, x.Admin.Stamps.Act(t.Context(), x.id, all[0].ID, stamp.ActionRevoke, "why"))
	status := func(i int) stamp.Status {
		st, err := x.Admin.Stamps.Get(t.Context(), "ACME01", all[i].ID)
		harness.Must(t, err)
		return st.Status
	}
	x.b.Want("/console/stamps/choose?action=suspend", nil, 303, "/console/stamps?done=nothing")
	x.b.Want("/console/stamps/choose?action=erase&all=1", nil, 404, "")
	x.b.Want("/console/stamps/choose?action=revoke&all=1&from=x", nil, 400, "")

	page := x.b.Want("/console/stamps/choose?all=1&action=suspend&search=diploma", nil, 200, "").Text
	has(t, page, "Suspend 3 records?", "suspend 3", "the action does not change them")
	form := confirm(page)
	late := x.stamp(x.id, "Diploma late", "") // is later than the page
	all = append(all, late)
	form.Set("reason", "recount")
	form.Set("typed", "suspend 4")
	has(t, x.b.Want("/console/stamps/choose", form, 400, "").Text, "not what has to be typed", "Suspend 3 records?")
	form.Set("typed", "Suspend  3")
	broad := url.Values{}
	for k, v := range form {
		broad[k] = v
	}
	broad.Del("search")
	broad.Set("status", "Revoked") // another filter than the one that was shown
	has(t, x.b.Want("/console/stamps/choose", broad, 400, "").Text, "has changed")
	to := x.b.Send("/console/stamps/choose", form)
	at := to.Header.Get("Location")
	if to.StatusCode != 303 || !strings.HasPrefix(at, "/console/orders/") {
		t.Fatalf("%d %q %s", to.StatusCode, at, to.Text)
	}
	text := x.until(at, "Done")
	has(t, text, "Suspend 3 records", "recount", "Ruth Nakamura")
	if status(1) != stamp.Suspended || status(3) != stamp.Suspended || status(0) != stamp.Revoked || status(4) != stamp.Active {
		t.Errorf("%v %v %v %v", status(0), status(1), status(3), status(4))
	}
	x.b.Want("/console/orders/"+strings.Repeat("0", 36), nil, 404, "")
	x.b.Want(at+"/stop", url.Values{}, 303, at)

	// By boxes; another tenant's id is as none.
	page = x.b.Want("/console/stamps/choose?action=reactivate&id="+all[1].ID+"&id="+foreign.ID+"&id="+all[4].ID, nil, 200, "").Text
	has(t, page, "Reactivate 1 records?")
	form = confirm(page)
	form.Set("reason", "back")
	form.Set("typed", "reactivate 1")
	harness.Must(t, x.Admin.Stamps.Act(t.Context(), x.id, all[4].ID, stamp.ActionSuspend, "meanwhile"))
	has(t, x.b.Want("/console/stamps/choose", form, 400, "").Text, "has changed", "Reactivate 2 records?")
	if status(1) != stamp.Suspended {
		t.Error("a refused order changed a stamp")
	}
	other, err := x.Admin.Stamps.Get(t.Context(), "OTHER1", foreign.ID)
	if err != nil || other.Status != stamp.Active {
		t.Errorf("the foreign stamp: %v %v", other.Status, err)
	}

	// More than an order takes.
	storetest.Seed(t, x.Dir, all[1].ID, stamp.MaxCount)
	has(t, x.b.Want("/console/stamps/choose?all=1&action=revoke", nil, 200, "").Text, "More than 10,000", "!<textarea")
	text = x.b.Want("/console/stamps", nil, 200, "").Text
	has(t, text, "1 to 25 of 10,000+")
	if n := strings.Count(x.b.Want("/console/stamps/export.csv?search=number", nil, 200, "").Text, "\r\n"); n != stamp.MaxCount+1 {
		t.Errorf("export has %d lines", n)
	}
}

// until reads an order's page until it is in a state.
func (x *bench) until(path, state string) string {
	x.T.Helper()
	for range 200 {
		text := x.b.Want(path, nil, 200, "").Text
		if strings.Contains(text, `data-state="`+state+`"`) {
			return text
		}
		time.Sleep(50 * time.Millisecond)
	}
	x.T.Fatal("the order does not end")
	return ""
}
