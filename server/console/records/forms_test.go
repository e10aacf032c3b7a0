package records_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/issue/stamp"
)

// TestForms: a stamp is replaced by a new file, a document is issued and replaced; refused
// forms keep what was typed, with each problem at its field.
//
//engine:sqlite the screens are the same on both
func TestForms(t *testing.T) {
	t.Parallel()
	x := newBench(t, func(c *server.Config) { c.PublicURL = "http://t.example" })
	st := x.stamp(x.id, "Diploma of Ada", "D-1")
	at, ref := "/console/stamps/"+st.ID, st.Reference.String()
	has(t, x.b.Want(at+"/replace", nil, 200, "").Text, `value="Diploma of Ada"`, `value="D-1"`, ref[len(ref)-4:])
	form := url.Values{"name": {"Diploma of Ada Byron"}, "type": {"DIP"}, "external": {"D-1"}}
	status, _, text := x.send(at+"/replace", form, harness.PDF("new"))
	has(t, text, "Give a reason", "not what has to be typed", `value="Diploma of Ada Byron"`)
	if status != 400 {
		t.Error(status)
	}
	form.Set("reason", "a typing error")
	form.Set("typed", ref[len(ref)-4:])
	status, _, text = x.send(at+"/replace", form, nil)
	has(t, text, "must not be empty", `id="pdf" name="pdf"`)
	if status != 400 {
		t.Error(status)
	}
	status, _, text = x.send(at+"/replace", form, []byte("no PDF"))
	if status != 400 {
		t.Errorf("%d %s", status, text)
	}
	x.b.Header = http.Header{"Accept-Language": {"ar"}}
	has(t, x.b.Want(at+"/replace", form, 400, "").Text, "هذا ليس نموذجًا فيه ملف") // no form with a file
	x.b.Header = nil
	status, to, text := x.send(at+"/replace", form, harness.PDF("new"))
	if status != 303 || !strings.HasSuffix(to, "?done=replaced") {
		t.Fatalf("%d %s %s", status, to, text)
	}
	has(t, x.b.Want(to, nil, 200, "").Text, "Diploma of Ada Byron", "/console/stamps?search="+ref, "The old one is revoked")
	has(t, x.b.Want(at, nil, 200, "").Text, "Replaced", "a typing error")

	has(t, x.b.Want("/console/documents/new", nil, 200, "").Text, "There is no Trust template yet")
	tpl := x.template(x.id)
	issue := "/console/documents/new?template=" + tpl.ID
	has(t, x.b.Want(issue, nil, 200, "").Text, "Degree", `type="date"`)
	x.b.Want("/console/documents/new?template="+st.ID, nil, 404, "")
	form = url.Values{"recipient": {""}, "email": {"no address"}, "f:degree": {""}, "f:born": {"yesterday"}, "path": {"tcode"}, "expires": {"2001-01-01"}}
	_, _, text = x.send(issue, form, nil)
	has(t, text, "must not be empty", "must be an e-mail address", "must be in the future", "is needed for the issuancePath", `value="no address"`)
	form.Set("recipient", "Ada Byron")
	form.Set("email", "")
	form.Set("expires", "")
	form.Set("path", "both")
	_, _, text = x.send(issue, form, harness.PDF("doc"))
	has(t, text, "must be a date such as")
	form.Set("f:degree", "Mathematics")
	form.Set("f:born", "1815-12-10")
	form.Set("expires", "2099-12-31")
	status, to, text = x.send(issue, form, harness.PDF("doc"))
	if status != 303 {
		t.Fatalf("%d %s", status, text)
	}
	one := x.b.Want(to, nil, 200, "").Text
	has(t, one, "Mathematics", `<time dir="ltr">2099-12-31</time>`, "Its stamp", "Stamped PDF", "The document is issued")
	status, _, text = x.send(issue, form, harness.PDF("doc")) // the same once more
	has(t, text, "exists")
	if status != 400 {
		t.Error(status)
	}
	stampRef := regexp.MustCompile(`/console/stamps\?search=(TCR-[0-9A-Z]+)`).FindStringSubmatch(one)[1]
	twin := x.b.Send("/console/stamps?search="+stampRef, nil).Header.Get("Location")
	has(t, x.b.Want(twin, nil, 200, "").Text, "Belongs to", "/console/documents?search=TRF-", "!/act/revoke")

	doc := strings.TrimSuffix(to, "?done=issued")
	trf := regexp.MustCompile(`TRF-[0-9A-Z]{16}`).FindString(one)
	mail := doc + "/mail"
	has(t, x.b.Want(mail, url.Values{"email": {"no address"}}, 400, "").Text, `value="no address"`, "must be an e-mail address")
	has(t, x.b.Want(mail, url.Values{"email": {""}}, 400, "").Text, "must be given: the document has no address")
	x.b.Want(mail, url.Values{"email": {"ada@acme.example"}}, 303, doc+"?done=mailed")
	has(t, x.b.Want(doc, nil, 200, "").Text, "ada@acme.example")
	has(t, x.b.Want(doc+"/replace", nil, 200, "").Text, `value="2099-12-31"`)
	form.Set("f:degree", "Analysis")
	form.Set("reason", "wrong subject")
	form.Set("typed", trf[len(trf)-4:])
	status, next, text := x.send(doc+"/replace", form, harness.PDF("doc 2"))
	if status != 303 {
		t.Fatalf("%d %s", status, text)
	}
	has(t, x.b.Want(next, nil, 200, "").Text, "Analysis", trf)
	x.b.Want(doc+"/replace", nil, 303, doc+"?done=already")

	// Its successor is a picture, and that one's a page that the gateway draws.
	var scan bytes.Buffer
	harness.Must(t, png.Encode(&scan, image.NewGray(image.Rect(0, 0, 600, 800))))
	for _, file := range [][]byte{scan.Bytes(), nil} {
		doc = strings.TrimSuffix(next, "?done=replaced")
		old, err := x.Admin.Documents.Get(t.Context(), "ACME01", path.Base(doc))
		harness.Must(t, err)
		trf = old.Reference.String()
		form.Set("typed", trf[len(trf)-4:])
		form.Set("generate", "true")
		_, _, text = x.send(doc+"/replace", form, scan.Bytes())
		has(t, text, "must be left out with pdf", `value="true" aria-describedby="generate-h" checked`)
		if file != nil {
			form.Del("generate")
		}
		if status, next, text = x.send(doc+"/replace", form, file); status != 303 {
			t.Fatalf("%d %s", status, text)
		}
		has(t, x.b.Want(next, nil, 200, "").Text, "Analysis", trf, "Original file", "Stamped PDF")
		got, err := x.Admin.Documents.File(t.Context(), "ACME01", path.Base(strings.TrimSuffix(next, "?done=replaced")), string(stamp.FileOriginal))
		if want := fmt.Sprintf("%x", sha256.Sum256(scan.Bytes())); err != nil || (got.SHA256 == want) != (file != nil) {
			t.Errorf("the original is %+v, %v", got, err)
		}
	}
}
