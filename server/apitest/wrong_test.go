package apitest

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tcode/server/internal/harness"
	"tcode/sync/wire"
)

// wrongRequests are requests that are wrong, with the answers: blocks with empty lines between
// them, and comments that begin with #.
//
//	POST /v1/api-keys {"name":"shop","scope":["manage"]}
//	> Header: value
//	400 VALIDATION_FAILED
//	scope: is unknown; did you mean scopes?
//
// A body that begins with go: is a string of Go. A message is compared if it follows the code.
// The errors are all that the answer has.
//
//go:embed testdata/wrong.txt
var wrongRequests string

// TestWrongRequests: the answer to a wrong request says what is wrong and what to do, in these
// words, and the request has no effect.
//
//engine:sqlite the form of the request decides
func TestWrongRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	replace := w.wrongValues()
	before, tried := rows(w.Rig), 0
	for block := range strings.SplitSeq(wrongRequests, "\n\n") {
		lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(block), "\n"), func(l string) bool {
			return l == "" || strings.HasPrefix(l, "#")
		})
		if len(lines) == 0 {
			continue
		}
		tried++
		q, want := w.wrongRequest(replace.Replace(lines[0]), lines[1:])
		if got := answered(w.Do(q), want[0]); !slices.Equal(got, want) {
			t.Errorf("%s\n%s\nwant\n%s", lines[0], strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if tried < 120 {
		t.Errorf("only %d requests", tried)
	}
	if after := rows(w.Rig); !maps.Equal(before, after) {
		t.Errorf("refused requests have left something: %v", changed(before, after))
	}
}

// wrongValues replaces the names with a dollar in wrong requests.
func (w *world) wrongValues() *strings.Replacer {
	w.T.Helper()
	raw, err := wire.PayloadBytes(w.Text)
	must(w.T, err)
	raw[len(raw)-1], raw[len(raw)-2], raw[len(raw)-3] = 0xff, 0xff, 0xff // so that Base64 has a slash
	return strings.NewReplacer(
		"$STAMP", w.Standing.Id.String(), "$REF", w.Standing.Reference, "$TDOC", w.Tdoc, "$TRUST", w.Trust, "$DOC", w.Document.Id.String(),
		"$PLACE", w.Made(placementPath, map[string]any{"name": "p"}), "$HOOK", w.freshWebhook("key.rotated"), "$PREFIX", w.freshKey(), "$KEY", w.Key,
		"$NONE", anonymous, "$PDF", harness.PDFBase64("wrong"), "$NOPDF", base64.StdEncoding.EncodeToString([]byte("no PDF")),
		"$TEXT", w.Text, "$LOWER", strings.ToLower(w.Text), "$URLFORM", base64.RawURLEncoding.EncodeToString(raw),
	)
}

// wrongRequest reads a request and the lines after it.
func (w *world) wrongRequest(line string, rest []string) (q harness.Request, want []string) {
	w.T.Helper()
	method, line, _ := strings.Cut(line, " ")
	path, body, _ := strings.Cut(line, " ")
	q = harness.Request{Method: method, Path: path, Key: w.Key, Header: http.Header{}}
	if text, ok := strings.CutPrefix(body, "go:"); ok {
		var err error
		body, err = strconv.Unquote(text)
		must(w.T, err)
	}
	q.Body = orNil(body)
	for len(rest) > 0 && strings.HasPrefix(rest[0], "> ") {
		name, value, _ := strings.Cut(rest[0][2:], ":")
		if q.Header.Set(name, strings.TrimSpace(value)); strings.EqualFold(name, "x-api-key") {
			q.Key = ""
			q.Header.Del(name)
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		rest = []string{""}
	}
	return q, rest
}

// answered returns an answer in the form of wrongRequests: with the message if want has one.
func answered(a harness.Answer, want string) []string {
	head := fmt.Sprint(a.StatusCode, " ", a.Body["code"])
	if strings.Count(want, " ") > 1 || a.Body["errors"] == nil || len(a.Body["errors"].(map[string]any)) == 0 {
		head += fmt.Sprint(" ", a.Body["message"])
	}
	out := []string{head}
	errors, _ := a.Body["errors"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(errors)) {
		for _, m := range errors[name].([]any) {
			out = append(out, fmt.Sprint(name, ": ", m))
		}
	}
	return out
}
