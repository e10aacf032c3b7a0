package pages

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"golang.org/x/text/language"

	"tcode/offline"
	"tcode/server/refdata"
	"tcode/server/verify"
)

//go:embed twin.html
var twinHTML string

//go:embed twin.css
var twinCSS string

// Pages draws the public pages. It is safe for concurrent use.
type Pages struct {
	twin   *template.Template
	policy string // Content-Security-Policy
	match  language.Matcher
}

// New returns the pages. It returns an error if an embedded page is broken.
func New() (*Pages, error) {
	twin, err := template.New("twin").Parse(twinHTML)
	if err != nil {
		return nil, err
	}
	tags := make([]language.Tag, len(languages))
	for i, l := range languages {
		tags[i] = language.Make(l.Language)
	}
	sum := sha256.Sum256([]byte(twinCSS))
	return &Pages{
		twin: twin, match: language.NewMatcher(tags),
		policy: "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}, nil
}

// twinPage is the data for twin.html.
type twinPage struct {
	T       texts
	Style   template.CSS // ours
	Verdict verify.Verdict
	Heading string
	Meaning string
	Advice  []string

	Known                 bool // all below is set
	Reference             string
	Issuer, Type          string
	Issued                moment
	Details               []field // of a Trust document
	Expires               *expiry // of a Trust document; nil: never
	Fields                []field
	Replacement, Replaces string
	Test                  bool

	AsOf moment // zero if nothing was looked up
}

// A moment is a time for machines and for people. It has only digits, which are the same
// in every language.
type moment struct{ Machine, Human string }

func momentOf(t time.Time) moment {
	t = t.UTC()
	return moment{t.Format(time.RFC3339), t.Format("2006-01-02 15:04") + " UTC"}
}

type field struct{ Label, Value string }

// Twin answers with the page of a look-up by reference, in the language that an
// Accept-Language header requests: 200, or 404 if nothing was found. asOf is the time of
// the look-up.
func (p *Pages) Twin(w http.ResponseWriter, acceptLanguage string, r verify.Result, asOf time.Time) error {
	status := http.StatusOK
	if r.Verdict == verify.NotFound {
		status = http.StatusNotFound
	}
	words, wanted := p.language(acceptLanguage)
	return p.write(w, status, pageOf(words, wanted, r, asOf))
}

// Problem answers with a page that says why there is no verdict: status is 429, or one
// from 500 on.
func (p *Pages) Problem(w http.ResponseWriter, acceptLanguage string, status int) error {
	words, _ := p.language(acceptLanguage)
	said := words.Failed
	if status == http.StatusTooManyRequests {
		said = words.Busy
	}
	return p.write(w, status, twinPage{
		T: words, Style: template.CSS(twinCSS), Verdict: "none", Heading: said.Heading, Meaning: said.Meaning, Advice: []string{said.Advice},
	})
}

// language selects the words for an Accept-Language header, and returns the requested
// languages.
func (p *Pages) language(accept string) (texts, []language.Tag) {
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil {
		wanted = nil // the header is not valid
	}
	_, i, _ := p.match.Match(wanted...)
	return languages[i], wanted
}

// write sends a page. No cache may store it: the next verdict may be different.
func (p *Pages) write(w http.ResponseWriter, status int, page twinPage) error {
	var body bytes.Buffer
	if err := p.twin.Execute(&body, page); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", page.T.Language)
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	h.Set("Content-Security-Policy", p.policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept, Accept-Language")
	h.Set("X-Robots-Tag", "noindex")
	w.WriteHeader(status)
	_, err := w.Write(body.Bytes())
	return err
}

func pageOf(t texts, wanted []language.Tag, r verify.Result, asOf time.Time) twinPage {
	page := twinPage{
		T: t, Style: template.CSS(twinCSS), Verdict: r.Verdict,
		Heading: t.Headings[r.Verdict], Meaning: t.Meanings[r.Verdict], Advice: t.Advices[r.Verdict], AsOf: momentOf(asOf),
	}
	if r.Test && (r.Verdict == verify.Valid || r.Verdict == verify.NotFound) {
		page.Verdict, page.Heading, page.Meaning = "test", t.Test, "" // no green colour
	}
	if r.Verdict == verify.NotFound {
		return page
	}
	page.Known = true
	page.Reference, page.Issuer, page.Issued, page.Test = r.Reference.String(), r.IssuerName, momentOf(r.IssuedAt), r.Test
	page.Replacement, page.Replaces = r.ReplacedBy, r.Replaces
	wanted = append(slices.Clone(wanted), language.Make(t.Language))
	if page.Type = inLanguage(r.DocumentType.Names, wanted); page.Type == "" {
		page.Type = r.DocumentType.Code
	}
	page.Fields = fieldsOf(r, r.DocumentType, wanted)
	switch {
	case r.ReplacedBy != "":
		page.Advice = t.Replaced
	case r.Verdict == verify.Suspended && slices.ContainsFunc(r.Checks, issuerFailed):
		page.Meaning = t.IssuerSuspended
	}
	return page
}

func issuerFailed(c offline.Check) bool {
	return c.Name == offline.CheckIssuerActive && c.Status == offline.Fail
}

func fieldsOf(r verify.Result, d refdata.DocumentType, wanted []language.Tag) (out []field) {
	for _, f := range r.Fields {
		label := inLanguage(d.FieldLabels[f.Key], wanted)
		if label == "" {
			label = f.Key
		}
		out = append(out, field{label, f.Value})
	}
	return out
}

// inLanguage selects the text in the language that fits best, or English if none does, or
// "" if there is no text at all.
func inLanguage(texts map[string]string, wanted []language.Tag) string {
	if len(texts) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Keys(texts))
	if i := slices.Index(names, "en"); i > 0 { // the first one is the default
		names[0], names[i] = names[i], names[0]
	}
	tags := make([]language.Tag, len(names))
	for i, n := range names {
		tags[i] = language.Make(n)
	}
	_, i, _ := language.NewMatcher(tags).Match(wanted...)
	return texts[names[i]]
}
