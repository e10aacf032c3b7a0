package apitest

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"tcode/server/internal/harness"
)

// TestContentsLost: a PDF that was changed as text on its way is refused, with the page; an empty page is
// stamped.
//
//engine:sqlite the file decides, before a row is written
func TestContentsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	letter, err := os.ReadFile("../../testdata/documents/letter.pdf")
	if err != nil {
		t.Fatal(err)
	}
	empty := regexp.MustCompile(`BT .* ET`).ReplaceAllFunc(harness.PDF("x"), func(b []byte) []byte {
		return bytes.Repeat([]byte{' '}, len(b))
	})
	for name, c := range map[string]struct {
		pdf    []byte
		status int
		said   string // in the message; empty: it is stamped, without a warning
	}{
		"UTF-8":      {bytes.ToValidUTF8(letter, []byte("\uFFFD")), http.StatusUnprocessableEntity, "was changed as text on its way"},
		"line ends":  {bytes.ReplaceAll(letter, []byte("\n"), []byte("\r\n")), http.StatusUnprocessableEntity, "without conversion of line ends (page 1)"},
		"as it was":  {letter, http.StatusCreated, ""},
		"blank":      {harness.PDF(" "), http.StatusCreated, ""}, // the harness compares no drawings
		"empty":      {empty, http.StatusCreated, ""},
		"some words": {harness.PDF("some words"), http.StatusCreated, ""},
	} {
		body := w.StampBody()
		body["pdf"] = base64.StdEncoding.EncodeToString(c.pdf)
		a := w.Want(w.Post(w.Key, "/v1/tcode/stamps", body), c.status)
		if c.status != http.StatusCreated {
			if said := a.Body["message"].(string); a.Body["code"] != "PDF_NOT_STAMPABLE" || !strings.Contains(said, c.said) {
				t.Errorf("%s: %v", name, a.Body)
			}
			continue
		}
		if got := strings.Join(stringsOf(a.Data()["warnings"], nil), "; "); got != c.said {
			t.Errorf("%s: warnings %q, want %q", name, got, c.said)
		}
	}
}
