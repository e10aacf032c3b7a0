package apitest

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"tcode/server/brand"
	"tcode/server/internal/harness"
)

// TestBrandedPage: the public page of a stamp and of a Trust document has the tenant's logo,
// colour and contacts, and labels of the template. The display name of a stamp is there only
// if the tenant shows it. A logo is found by its tenant and its hash.
func TestBrandedPage(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	other := r.Stamp(r.Tenant("SPY001"), "another")
	var picture bytes.Buffer
	harness.Must(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 32))))
	logo, err := brand.NewLogo(picture.Bytes())
	harness.Must(t, err)
	change := func(f func(*brand.Brand)) {
		t.Helper()
		_, err := r.Admin.Brands.Change(t.Context(), "ACME01", f)
		harness.Must(t, err)
	}
	change(func(b *brand.Brand) { b.Colour, b.Email, b.Logo = "#3440a8", "registry@acme.example", logo })
	spec := harness.TdocBody()
	spec["customFields"] = []any{map[string]any{"key": "n7", "label": "Name at birth", "inPayload": true}}
	template := r.Want(r.Post(key, harness.TdocPath, spec), 201).Data()["id"].(string)
	body := harness.StampBody("Display name", "tdocTemplateId", template)
	body["fields"] = []any{map[string]any{"key": "n7", "value": "Byron"}}
	stamped := r.Want(r.Post(key, "/v1/tcode/stamps", body), 201).Data()["reference"].(string)
	trust := r.Want(r.Post(key, harness.TrustTemplatesPath, harness.TrustTemplateBody()), 201).Data()["id"].(string)
	issued := r.Want(r.Post(key, harness.DocumentsPath, map[string]any{"templateId": trust, "recipientName": "Ada", "fields": []any{}}), 201).Data()["reference"].(string)
	page := func(reference string) string {
		t.Helper()
		return string(r.Want(r.Do(harness.Request{Method: "GET", Path: "/d/" + reference, Header: http.Header{"Accept": {"text/html"}}}), 200).Raw)
	}
	address := "/brand/ACME01/" + logo.SHA256 + ".png"
	for _, reference := range []string{stamped, issued} {
		for _, want := range []string{`<img src="` + address + `" width="64" height="32"`, `fill="#3440a8"`, "mailto:registry@acme.example"} {
			if p := page(reference); !strings.Contains(p, want) {
				t.Errorf("%s has no %s in\n%s", reference, want, p)
			}
		}
	}
	if p := page(stamped); !strings.Contains(p, "<bdi>Name at birth</bdi></dt><dd class=\"signed\"><bdi>Byron<") || strings.Contains(p, "Display name") {
		t.Errorf("without the label, or with the name:\n%s", p)
	}
	change(func(b *brand.Brand) { b.Names = true })
	r.Want(r.Do(harness.Request{Method: "DELETE", Path: harness.TdocPath + "/" + template, Key: key}), 204)
	if p := page(stamped); !strings.Contains(p, "<bdi>Display name</bdi>") || !strings.Contains(p, "<bdi>N7</bdi>") {
		t.Errorf("without the name, or the key as a word:\n%s", p)
	}
	if p := page(other.Reference); strings.Contains(p, "<img") || strings.Contains(p, "mailto:") {
		t.Errorf("the page of another tenant has a brand:\n%s", p)
	}
	got := r.Want(r.Get("", address), 200)
	if !bytes.Equal(got.Raw, logo.Data) || got.Header.Get("Content-Type") != "image/png" || got.Header.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("the logo of %d bytes has %v", len(got.Raw), got.Header)
	}
	for _, none := range []string{strings.Replace(address, "ACME01", "SPY001", 1), strings.Replace(address, ".png", ".jpeg", 1), "/brand/ACME01/.png", "/brand/ACME01/x", "/brand/%00/%00.png"} {
		r.WantCode(r.Get("", none), 404, "NOT_FOUND")
	}
}
