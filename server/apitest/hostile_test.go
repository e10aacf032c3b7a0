package apitest

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"tcode/server/internal/harness"
)

// hostile are texts that a program on their way may interpret.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'><svg/onload=alert(1)>`, `</title><script>alert(1)</script>`,
	`javascript:alert(1)`, `{{constructor.constructor('alert(1)')()}}`, `${7*7}`, `<!-- `, `]]>`, `&lt;b&gt; &amp;amp;`,
	`'; DROP TABLE stamps;--`, `' OR '1'='1`, `1; SELECT pg_sleep(5)--`, `\'; -- \`, `%' OR 1=1 --`, `_%_`, `$1 ? :name @p1`,
	`=1+1`, `+1`, `-1`, `@SUM(A1:A9)`, `=cmd|' /C calc'!A0`, "\t=1", "\r\n=1", `a,"b";c`,
	"a\r\nSet-Cookie: x=1", "\x01\x02\x1f", "a\x7fb", "\x1b[31mred", "\u202eevil\u2066", "\ufeffmark", "e\u0301 is not \u00e9",
	"\u2028line", "zero\u200bwidth", "😀\U0001F468\u200D\U0001F469", "İıſK", "  both ends  ", "../../etc/passwd", "%00%0a", "null", "\U000F0000",
}

// nowhere are the members that no answer shows, with the reason.
var nowhere = map[string]string{
	"checkDuplicate":               "asks, and stores nothing",
	"previewPlacement":             "asks, and stores nothing",
	"checkDocumentDuplicate":       "asks, and stores nothing",
	"verifyDocumentByReference":    "asks, and stores nothing",
	"verifyDocumentByHash":         "asks, and stores nothing",
	"verifyPayload":                "asks, and stores nothing",
	"syncScans batchId":            "names the batch in the answer only",
	"syncScans items.context.note": "kept for the audit log; no answer shows it",
	"syncScans items.payload":      "is judged; the reference is what is shown",
	"syncScans items.reference":    "is looked up; one that is found has no such text",
	"syncScans payload":            "the form for one scan alone",
	"syncScans context":            "the form for one scan alone",
}

// freshen gives a body new names where they must be unique.
func (w *world) freshen(id string, b map[string]any) {
	n := harness.Serial()
	if _, ok := b["externalId"]; ok && id != "checkDuplicate" && id != "checkDocumentDuplicate" {
		b["externalId"] = fmt.Sprint("E-", n)
	}
	if id == "syncScans" {
		item := b["items"].([]any)[0].(map[string]any)
		item["scanId"], item["reference"] = fmt.Sprintf("0198a3c2-5d1e-7c44-9a51-%012x", n), w.Standing.Reference
	}
}

// judge fails the test unless a rule refused the text or an answer shows it.
func (w *world) judge(id string, paths [][]string, text string, a harness.Answer) int {
	w.T.Helper()
	where := fmt.Sprintf("%s %v %q", id, paths, text)
	if a.StatusCode >= 300 {
		if a.StatusCode >= 500 || a.Body["code"] == nil {
			w.T.Errorf("%s: %d %s", where, a.StatusCode, a.Raw)
		}
		return a.StatusCode
	}
	shown := w.shown(id, a)
	for _, path := range paths {
		name := id + " " + strings.Join(path, ".")
		if nowhere[id] != "" || nowhere[name] != "" || strings.HasPrefix(name, "syncScans context.") {
			continue
		}
		if !slices.Contains(shown, text) {
			w.T.Errorf("%s: taken, and never shown again: %.500s", where, a.Raw)
			break
		}
	}
	return a.StatusCode
}

// shown returns the texts of all answers that show the stored record of a request.
func (w *world) shown(id string, a harness.Answer) (list []string) {
	w.T.Helper()
	list = stringsOf(a.Body, nil)
	get := func(path string) {
		w.T.Helper()
		list = append(list, stringsOf(w.Want(w.Get(w.Key, path), http.StatusOK).Body, nil)...)
	}
	path := a.Request.URL.Path
	switch {
	case id == "syncScans":
		get("/v1/tcode/verify/document/" + w.Standing.Reference + "/scans?PageSize=1")
	case strings.HasPrefix(path, "/v1/tcode/stamps/") && id != "checkDuplicate":
		get("/v1/tcode/stamps/" + strings.Split(path, "/")[4])
	case strings.HasPrefix(path, harness.DocumentsPath+"/") && id != "checkDocumentDuplicate" || strings.HasPrefix(path, harness.TrustTemplatesPath+"/"):
		get(strings.Join(strings.Split(path, "/")[:5], "/"))
	case a.Header.Get("Location") != "":
		get(a.Header.Get("Location"))
	}
	return list
}

// textMembers returns the paths of all members that hold any text.
func textMembers(s *openapi3.Schema, path []string) (list [][]string) {
	switch {
	case s.Type.Is("string") && len(s.Enum) == 0 && s.Format == "":
		return [][]string{slices.Clone(path)}
	case s.Type.Is("array"):
		return textMembers(s.Items.Value, path)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		list = append(list, textMembers(s.Properties[name].Value, append(slices.Clone(path), name))...)
	}
	return list
}

// set puts text at a path, and makes objects and lists of one on the way.
func set(v map[string]any, path []string, text string) {
	name := path[0]
	if len(path) == 1 {
		if _, list := v[name].([]any); list {
			v[name] = []any{text}
		} else {
			v[name] = text
		}
		return
	}
	switch inner := v[name].(type) {
	case []any:
		set(inner[0].(map[string]any), path[1:], text)
	case map[string]any:
		set(inner, path[1:], text)
	default:
		m := map[string]any{}
		v[name] = m
		if name == "fields" || name == "customFields" {
			m["key"], m["value"] = "holder", "x"
			v[name] = []any{m}
		}
		set(m, path[1:], text)
	}
}

// clone returns a copy of v by way of JSON.
func clone(v any) (out any) {
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		panic(err)
	}
	return out
}

func stringsOf(v any, list []string) []string {
	switch v := v.(type) {
	case string:
		list = append(list, v)
	case []any:
		for _, e := range v {
			list = stringsOf(e, list)
		}
	case map[string]any:
		for _, e := range v {
			list = stringsOf(e, list)
		}
	}
	return list
}

// TestHostileParameters: a gateway answers hostile texts in every text of a path
// and a query like other texts, or refuses them.
//
//engine:sqlite the form of the request decides, before a row is read
func TestHostileParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ops := operations()
	for _, id := range w.there() {
		for _, p := range ops[id].params {
			if p.Value.In != "path" && p.Value.In != "query" {
				continue
			}
			q := w.ask(id)
			for _, text := range append(slices.Clone(hostile), "\x00", "\xff\xfe", strings.Repeat("x", 5000)) {
				r := q
				switch {
				case p.Value.In == "query":
					r.Path += map[bool]string{true: "&", false: "?"}[strings.Contains(r.Path, "?")] + url.QueryEscape(p.Value.Name) + "=" + url.QueryEscape(text)
				case id == "getFile":
					continue
				default:
					r.Path = fill(ops[id].path, url.PathEscape(text))
				}
				if a := w.Do(r); a.StatusCode >= 500 {
					t.Errorf("%s %s %q: %d %s", id, p.Value.Name, text, a.StatusCode, a.Raw)
				}
			}
		}
	}
}

var (
	tag    = regexp.MustCompile(`<[^>]*>`)
	moment = regexp.MustCompile(`datetime="[^"]*"`)
)

// TestHostilePage: the public page of a stamp whose texts are hostile has the
// tags of one whose texts are plain, and shows each text as it is.
//
//engine:sqlite the texts and headers of the answer decide, not its rows
func TestHostilePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if !w.exists("showDigitalTwin") || w.Tdoc == "" {
		t.Fatal("there is no page")
	}
	signed := harness.TdocBody() // the page shows signed fields
	holder := signed["customFields"].([]any)[0].(map[string]any)
	holder["inPayload"], holder["maxLength"] = true, 255
	template := w.Made(tdocPath, signed)
	page := func(text string) harness.Answer {
		b := w.StampBody()
		b["tdocTemplateId"] = template
		b["name"] = text
		b["fields"] = []any{map[string]any{"key": "holder", "value": text}}
		a := w.Post(w.Key, "/v1/tcode/stamps", b)
		if a.StatusCode == http.StatusBadRequest || a.StatusCode == http.StatusUnprocessableEntity {
			return harness.Answer{}
		}
		ref := w.Want(a, http.StatusCreated).Data()["reference"].(string)
		p := w.Want(w.Get("", "/d/"+ref), http.StatusOK)
		p.Raw = moment.ReplaceAll([]byte(strings.ReplaceAll(string(p.Raw), ref, "TCR")), nil)
		return p
	}
	plain := tag.FindAllString(string(page("plain").Raw), -1)
	for _, text := range hostile {
		p := page(text)
		if p.Response == nil {
			continue
		}
		if got := tag.FindAllString(string(p.Raw), -1); !slices.Equal(got, plain) {
			t.Errorf("%q changes the page's tags: %s", text, cmp.Diff(plain, got))
		}
		if shown := html.UnescapeString(tag.ReplaceAllString(string(p.Raw), "")); !strings.Contains(shown, text) && !strings.Contains(text, "\r") {
			t.Errorf("the page does not show %q", text)
		}
		if policy := p.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Fatalf("policy of the page: %q", policy)
		}
	}
}

// TestHostileTable: a spreadsheet computes no cell of a gateway's CSV file, and no
// text moves into another cell.
//
//engine:sqlite the form of the request decides, before a row is read
func TestHostileTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if w.Tdoc == "" || !w.exists("getTdocCsvFields") {
		t.Fatal("there are no tables")
	}
	tables := 0
	for _, text := range hostile {
		b := harness.TdocBody()
		b["baseFields"] = []any{text}
		field := b["customFields"].([]any)[0].(map[string]any)
		field["label"] = text
		if a := w.Post(w.Key, tdocPath, b); a.StatusCode != http.StatusCreated {
			b["baseFields"] = []any{}
		}
		if a := w.Post(w.Key, tdocPath, b); a.StatusCode != http.StatusCreated {
			field["label"] = "Holder"
		}
		field["key"] = text
		if a := w.Post(w.Key, tdocPath, b); a.StatusCode != http.StatusCreated {
			field["key"] = "holder"
		}
		id := w.Made(tdocPath, b)
		a := w.Want(w.Do(harness.Request{Method: "GET", Path: tdocPath + "/" + id + "/csv-fields", Key: w.Key, Header: http.Header{"Accept": {"text/csv"}}}), http.StatusOK)
		rows := tableOf(t, a.Raw)
		if len(rows) != 2 || len(rows[0]) != len(rows[1]) {
			t.Fatalf("%q makes this of the table: %q", text, a.Raw)
		}
		tables++
		for _, cell := range slices.Concat(rows...) {
			trimmed := strings.TrimLeft(cell, " \t\r\n")
			_, number := strconv.Atoi(cell) // a negative one is not computed
			if trimmed != "" && strings.ContainsAny(trimmed[:1], "=+-@") && (number != nil || cell[0] != '-') {
				t.Errorf("%q: the cell %q would be computed", text, cell)
			}
		}
	}
	t.Log(strconv.Itoa(tables) + " tables")
}
