package pages_test

//race:off ./... whole gateways and a browser

import (
	"net/http/httptest"
	"strings"
	"testing"

	"tcode/offline/payload"
	"tcode/server/pages"
	"tcode/server/verify"
)

// about is a whole brand.
func about() pages.About {
	return pages.About{
		Brand: pages.Brand{
			Colour: "#7a1f3d", Logo: "/brand/ACME01/" + strings.Repeat("ab", 32) + ".png", Width: 64, Height: 32,
			Email: "registry@acme.example", Phone: "+49 30 123456", Web: "https://acme.example/registry",
		},
		Name: "Diploma of Ada <b>Lovelace</b>", Labels: map[string]string{"grade": "Final grade", "holder": "never used"},
	}
}

// TestGrounds: the style sheet has the grounds that the contrast of a colour is against.
func TestGrounds(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	if err := drawer(t).Twin(w, pages.Reader{}, result(verify.Valid), at); err != nil {
		t.Fatal(err)
	}
	for _, ground := range []string{pages.GroundLight, pages.GroundDark} {
		if !strings.Contains(w.Body.String(), "--back: "+ground+";") {
			t.Errorf("no page has the ground %s", ground)
		}
	}
}

// TestBrand: the page of a document has the issuer's logo, colour and contacts, and the
// policy allows its own pictures only then. A page about nothing, and other pages, have none.
func TestBrand(t *testing.T) {
	t.Parallel()
	p := drawer(t)
	draw := func(p *pages.Pages, v verify.Verdict, lang string) (page, policy string) {
		w := httptest.NewRecorder()
		if err := p.Twin(w, pages.Reader{Accept: lang}, result(v), at); err != nil {
			t.Fatal(err)
		}
		return w.Body.String(), w.Header().Get("Content-Security-Policy")
	}
	for _, lang := range pages.Languages() {
		for _, v := range []verify.Verdict{verify.Valid, verify.Revoked} {
			page, policy := draw(p.About(about()), v, lang)
			logo := `<img src="` + about().Brand.Logo + `" width="64" height="32" alt="">`
			if strings.Contains(page, logo) != (v == verify.Valid) {
				t.Errorf("%s %s: a logo stands above a verdict that is not good, or none above a good one", lang, v)
			}
			for _, want := range []string{
				`fill="#7a1f3d"`, `href="mailto:registry@acme.example"`, `href="tel:`, `href="https://acme.example/registry"`,
				`</h2>` + "\n" + `<dl class="facts"><dt>` + pages.Words(lang)["Title"] + `</dt><dd><bdi>Diploma of Ada &lt;b&gt;Lovelace`, `<dt><bdi>Final grade</bdi></dt>`,
			} {
				if !strings.Contains(page, want) {
					t.Errorf("%s %s has no %s", lang, v, want)
				}
			}
			if strings.Contains(page, "never used") || strings.Contains(page, "style=") ||
				strings.Contains(policy, "img-src 'self' data:") != (v == verify.Valid) {
				t.Errorf("%s %s: a label of the template hides that of the document type, or policy %s", lang, v, policy)
			}
			if w := len(page); w == 0 || strings.Contains(page, "ZgotmplZ") {
				t.Errorf("%s %s: a value was not safe where it stands", lang, v)
			}
		}
	}
	for name, v := range map[string]verify.Verdict{"no brand": verify.Valid, "nothing found": verify.NotFound} {
		of := p
		if v == verify.NotFound {
			of = p.About(about())
		}
		if page, policy := draw(of, v, "en"); strings.Contains(page, "<img") || strings.Contains(page, "mailto:") || strings.Contains(page, "7a1f3d") || strings.Contains(policy, "'self' data:") {
			t.Errorf("%s: a brand in\n%s\n%s", name, page, policy)
		}
	}
	r := result(verify.Valid)
	r.Fields = []payload.Field{{Key: "fullName", Value: "Ada"}}
	w := httptest.NewRecorder()
	if err := p.About(about()).Twin(w, pages.Reader{}, r, at); err != nil || !strings.Contains(w.Body.String(), ">Full name<") {
		t.Errorf("a field without a label: %v", err)
	}
}
