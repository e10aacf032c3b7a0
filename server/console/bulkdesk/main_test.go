package bulkdesk_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// rows returns a CSV file and an archive of n documents.
func rows(t *testing.T, n int, mark string) (csv string, archive []byte) {
	t.Helper()
	var b strings.Builder
	b.WriteString("fileName,name,documentTypeCode,externalId\n")
	files := map[string][]byte{}
	for i := range n {
		fmt.Fprintf(&b, "%d.pdf,%s %d,DIP,%s-%d\n", i, mark, i, mark, i)
		files[fmt.Sprintf("%d.pdf", i)] = harness.PDF(fmt.Sprint(mark, i))
	}
	raw, err := io.ReadAll(harness.ZIP(t, files))
	harness.Must(t, err)
	return b.String(), raw
}

// A part is a field of a form, or a file if it has a name of one.
type part struct{ name, file, text string }

// order returns the parts of an order.
func order(act, csv string, archive []byte, more ...part) []part {
	return append(more, part{name: "csv", file: "rows.csv", text: csv}, part{name: "zip", file: "pdfs.zip", text: string(archive)}, part{name: "act", text: act})
}

// stamps says that an order is of stamps.
var stamps = part{name: "product", text: "tcode"}

// send sends a form with files.
func send(t *testing.T, w *consoletest.World, b *consoletest.Browser, parts []part) consoletest.Response {
	t.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	for _, p := range parts {
		var at io.Writer
		var err error
		if p.file != "" {
			at, err = m.CreateFormFile(p.name, p.file)
		} else {
			at, err = m.CreateFormField(p.name)
		}
		harness.Must(t, err)
		_, err = io.WriteString(at, p.text)
		harness.Must(t, err)
	}
	harness.Must(t, m.Close())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+"/console/bulk/new", &body)
	harness.Must(t, err)
	r.Header.Set("Content-Type", m.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return do(t, b, r)
}

// do sends a request with the session of a browser.
func do(t *testing.T, b *consoletest.Browser, r *http.Request) consoletest.Response {
	t.Helper()
	r.Header.Set("User-Agent", "browser")
	r.AddCookie(b.Token())
	res, err := (&http.Transport{}).RoundTrip(r)
	harness.Must(t, err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	harness.Must(t, err)
	return consoletest.Response{Response: res, Text: string(raw)}
}
