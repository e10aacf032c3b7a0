package branddesk_test

import (
	"bytes"
	"html"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"strings"
	"testing"

	"tcode/server/account"
	"tcode/server/brand"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/tenant"
)

func TestMain(m *testing.M) { harness.Main(m) }

const home = "/console/brand"

// arms is a logo.
func arms(t *testing.T, side int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, side, side/2))
	for x := range side {
		m.Set(x, side/4, color.RGBA{R: 0x7a, G: 0x1f, B: 0x3d, A: 0xff})
	}
	var out bytes.Buffer
	harness.Must(t, png.Encode(&out, m))
	return out.Bytes()
}

// has checks that a page has parts, and lacks those that begin with "!".
func has(t *testing.T, page string, parts ...string) {
	t.Helper()
	page = html.UnescapeString(page)
	for _, p := range parts {
		p, not := strings.CutPrefix(p, "!")
		if strings.Contains(page, p) == not {
			t.Errorf("%q is in the page: %v\n%.5000s", p, not, page[max(0, strings.Index(page, `id="main"`)):])
		}
	}
}

// look are the fields of the form.
func look(change ...string) url.Values {
	in := url.Values{"colour": {"#7A1F3D"}, "email": {"registry@acme.example"}, "phone": {"+49 30 123456"}, "web": {"https://acme.example/registry"}}
	for i := 0; i < len(change); i += 2 {
		in.Set(change[i], change[i+1])
	}
	return in
}

// TestLook: an owner sees a preview, saves colour and contact, and finds each problem at
// its field; public pages show what was saved, until it is removed.
func TestLook(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	owner, issuer := w.Browser("browser"), w.Browser("issuer")
	owner.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	issuer.Enrol(w.Invite(account.Spec{Tenant: "ACME01", Email: "is@acme.example", Role: account.Issuer}))
	issuer.Want(home, nil, 403, "")
	stored := func() brand.Brand {
		t.Helper()
		b, err := w.Admin.Brands.Brand(t.Context(), "ACME01")
		harness.Must(t, err)
		return b
	}
	has(t, owner.Want(home, nil, 200, "").Text, "There is no logo", "Without a colour there is no line", "!Remove everything")

	preview := func(in url.Values) string { return owner.Want(home+"?"+in.Encode(), nil, 200, "").Text }
	has(t, preview(look()), `<rect width="1" height="1" fill="#7a1f3d"/>`, "9.1 : 1", "easy to see", "hard to see", "registry@acme.example", `value="#7A1F3D"`)
	has(t, preview(look("colour", "#00ff00", "phone", "911")), "those are the colours of verdicts", "!fill=\"#00ff00\"", "registry@acme.example")
	if b := stored(); b.Colour != "" {
		t.Error("a preview was stored")
	}
	page := owner.Want(home, look("colour", "green", "email", "a@b@c", "phone", "911", "web", "http://acme.example"), 400, "").Text
	has(t, page, "must be # and six hexadecimal digits", "must be an e-mail address", "must be + and 6 to 19 digits", "must be an https address", `value="911"`)
	if n := strings.Count(page, `aria-invalid="true"`); n != 4 {
		t.Errorf("%d fields are wrong", n)
	}
	owner.Want(home, look("names", "on"), 303, home+"?done=saved")
	if b := stored(); b.Colour != "#7a1f3d" || b.Phone != "+49 30 123456" || !b.Names {
		t.Errorf("stored %+v", b)
	}
	log, err := w.Admin.Tenants.Audit(t.Context(), tenant.AuditFilter{Tenant: "ACME01", Action: brand.ActionTenantBrand})
	if err != nil || len(log) != 1 || log[0].By.Actor != tenant.ActorUser || log[0].By.Name == "" {
		t.Errorf("audit %+v %v", log, err)
	}
	has(t, owner.Want(home, nil, 200, "").Text, "Remove everything", `id="names" name="names" checked`)
	example := owner.Want(home+"/example", nil, 200, "")
	has(t, example.Text, `fill="#7a1f3d"`, "registry@acme.example", "Diploma of Ada Lovelace", "Acme University", "TCR-")
	if policy := example.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "script") {
		t.Errorf("policy %s", policy)
	}
	for _, text := range consoletest.Hostile {
		for _, field := range []string{"colour", "email", "phone", "web"} {
			in := look(field, text)
			consoletest.StaysText(t, strings.TrimSpace(text), owner.Want(home, in, 400, "").Text)
			consoletest.StaysText(t, strings.TrimSpace(text), preview(in))
		}
	}
	has(t, owner.Want(home+"/remove", nil, 200, "").Text, "Remove logo, colour and contact?")
	owner.Want(home+"/remove", url.Values{}, 303, home+"?done=removed")
	if b := stored(); b.Colour+b.Email+b.Phone+b.Web != "" || b.Names {
		t.Errorf("left: %+v", b)
	}
}

// TestLogo: a picture is taken as package brand takes it, shown, and removed; another
// tenant's is not served.
func TestLogo(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	owner := w.Browser("browser")
	owner.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	for _, file := range []struct {
		data []byte
		want string
	}{
		{[]byte("GIF89a"), "must be a PNG or a JPEG picture"},
		{nil, "must be a PNG or a JPEG picture"},
		{[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "must be a PNG"},
		{arms(t, 600), "at most 512 x 512 are allowed"},
		{make([]byte, 2<<20), "is larger than 1 MiB"},
	} {
		r := owner.Upload(home+"/logo", "arms.png", file.data)
		if r.StatusCode != 400 {
			t.Fatalf("%.20q: %d", file.data, r.StatusCode)
		}
		has(t, r.Text, file.want, `aria-invalid="true"`)
	}
	if r := owner.Upload(home+"/logo", "arms.png", make([]byte, 17<<20)); r.StatusCode != 413 {
		t.Errorf("17 MiB: %d", r.StatusCode)
	}
	owner.Want(home+"/logo", url.Values{"file": {"x"}}, 400, "")
	r := owner.Upload(home+"/logo", "arms.png", arms(t, 64))
	if r.StatusCode != 303 || r.Header.Get("Location") != home+"?done=logo" {
		t.Fatalf("%d %.500s", r.StatusCode, r.Text)
	}
	b, err := w.Admin.Brands.Brand(t.Context(), "ACME01")
	harness.Must(t, err)
	at := home + "/logo/" + b.Logo.SHA256
	has(t, owner.Want(home, nil, 200, "").Text, `<img class="brand-logo" src="`+at+`" width="64" height="32"`, "64 × 32 px")
	if r := owner.Want(at, nil, 200, ""); r.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(r.Text, "\x89PNG") {
		t.Errorf("the logo is %v", r.Header)
	}
	has(t, owner.Want(home+"/example", nil, 200, "").Text, `<img src="/brand/ACME01/`+b.Logo.SHA256+`.png"`)
	_, err = w.Admin.Tenants.CreateTenant(t.Context(), "Other", "OTHER1")
	harness.Must(t, err)
	l, err := brand.NewLogo(arms(t, 128))
	harness.Must(t, err)
	_, err = w.Admin.Brands.Change(t.Context(), "OTHER1", func(b *brand.Brand) { b.Logo = l })
	harness.Must(t, err)
	owner.Want(home+"/logo/"+l.SHA256, nil, 404, "")
	owner.Want(home+"/logo/remove", url.Values{}, 303, home+"?done=logoRemoved")
	has(t, owner.Want(home+"?done=logoRemoved", nil, 200, "").Text, "The logo is removed", "There is no logo")
}
