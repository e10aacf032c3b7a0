package apitest

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tcode/server/internal/harness"
)

// TestTypedInput: white space around a payload or a reference, as scanners and people send it,
// changes nothing, wherever the gateway takes one.
func TestTypedInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ref, doc := w.Standing.Reference, w.Document.Reference
	for _, around := range []string{"%s\r\n", "\t%s ", "\n%s"} {
		with := func(text string) string { return strings.Replace(around, "%s", text, 1) }
		said := map[string]harness.Answer{
			"payload":               w.Post("", "/v1/tcode/verify", map[string]any{"payload": with(w.Text)}),
			"reference":             w.Get("", "/v1/tcode/verify/reference/"+url.PathEscape(with(ref))),
			"hash":                  w.Get("", "/v1/tcode/verify/hash/"+url.PathEscape(with(w.Standing.StampedSha256))),
			"document's reference":  w.Post("", "/v1/trust/verify/by-reference", map[string]any{"reference": with(doc)}),
			"document's hash":       w.Post("", "/v1/trust/verify/by-hash", map[string]any{"hash": with(w.Document.ContentSha256)}),
			"reference of the twin": w.Get("", "/v1/tcode/verify/digital-twin/"+url.PathEscape(with(ref))),
		}
		for what, a := range said {
			if got := w.Want(a, http.StatusOK).Data(); got["verdict"] != "valid" && got["reference"] != ref {
				t.Errorf("%s in %q: %s", what, around, a.Raw)
			}
		}
		page := w.Get("", "/verify?reference="+url.QueryEscape(with(ref)))
		if page.StatusCode != http.StatusSeeOther || page.Header.Get("Location") != "/d/"+ref {
			t.Errorf("the page in %q: %d to %s", around, page.StatusCode, page.Header.Get("Location"))
		}
		found := w.Want(w.Get(w.Key, "/v1/tcode/stamps?Search="+url.QueryEscape(with(ref))), http.StatusOK)
		if found.Body["totalCount"] != 1.0 {
			t.Errorf("search in %q: %s", around, found.Raw)
		}
		for member, text := range map[string]string{"payload": w.Text, "reference": ref} {
			batch := harness.ScanBody()
			item := batch["items"].([]any)[0].(map[string]any)
			delete(item, "reference")
			item[member] = with(text)
			a := w.Want(w.Post("", "/v1/tcode/verify/sync", batch), http.StatusOK)
			if !bytes.Contains(a.Raw, []byte(`"valid"`)) {
				t.Errorf("scan of a %s in %q: %s", member, around, a.Raw)
			}
		}
	}
}

// TestNoEscapesForHTML: JSON has "&", "<" and ">" as they are: a person copies an address from
// it. A kept answer has them, too.
//
//engine:sqlite the text of the answer decides
func TestNoEscapesForHTML(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const name = `<A> & "B" \u0026`
	address := w.Want(w.Get(w.Key, "/v1/tcode/stamps/"+w.Standing.Id.String()+"/download"), http.StatusOK)
	if url := address.Data()["url"].(string); !strings.Contains(url, "&") || !bytes.Contains(address.Raw, []byte(url)) {
		t.Errorf("%s", address.Raw)
	}
	create := harness.Request{
		Method: "POST", Path: placementPath, Key: w.Key, Body: map[string]any{"name": name}, Header: http.Header{"Idempotency-Key": {"k"}},
	}
	made := w.Want(w.Do(create), http.StatusCreated)
	for what, a := range map[string]harness.Answer{
		"made": made, "kept": w.Want(w.Do(create), http.StatusCreated),
		"one":  w.Get(w.Key, placementPath+"/"+made.Data()["id"].(string)),
		"list": w.Get(w.Key, placementPath),
		"text": w.Do(harness.Request{Method: "GET", Path: placementPath, Key: w.Key, Header: http.Header{"Accept": {"text/plain"}}}),
	} {
		if !bytes.Contains(a.Raw, []byte(`"<A> & \"B\" \\u0026"`)) {
			t.Errorf("%s: %s", what, a.Raw)
		}
	}
	if a := w.Post(w.Key, placementPath, `{"a&b<c>":1}`); !bytes.Contains(a.Raw, []byte(`"a&b<c>"`)) {
		t.Errorf("an error: %s", a.Raw)
	}
}
