package pages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"
)

//go:embed layout.html document.html guide.html index.html verify.html
var templates embed.FS

//go:embed public.css
var style string

// A Site says what the gateway offers beside these pages, which link to it.
type Site struct {
	App     bool   // the scanner app is at /scan/
	Engine  bool   // and its engine is built, so that /verify reads files with it
	Console bool   // the console is at /console
	Root    string // fingerprint of the trust root, in hexadecimal
}

// Pages draws the public pages. It is safe for concurrent use.
type Pages struct {
	site   func() Site
	drawn  *template.Template
	policy string // Content-Security-Policy of pages without script
	match  language.Matcher
	about  About
}

// New returns the pages of a site; site is called for each page. It returns an error if an
// embedded page is broken.
func New(site func() Site) (*Pages, error) {
	drawn, err := template.ParseFS(templates, "*.html")
	if err != nil {
		return nil, err
	}
	tags := make([]language.Tag, len(languages))
	for i, l := range languages {
		tags[i] = language.Make(l.Language)
	}
	sum := sha256.Sum256([]byte(style))
	return &Pages{
		site: site, drawn: drawn, match: language.NewMatcher(tags),
		policy: "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	}, nil
}

// A Reader is the person who asks for a page, and the browser.
type Reader struct {
	Accept string // header Accept-Language
	Choice string // language of the address; "": that of Accept
	Gzip   bool   // the browser takes compressed pages
}

// ReaderOf returns the reader of a request: the language is in the query parameter lang,
// or else in the header Accept-Language.
func ReaderOf(r *http.Request) Reader {
	query, _ := url.ParseQuery(r.URL.RawQuery) // the part that can be read
	who := Reader{Accept: r.Header.Get("Accept-Language")}
	if choice := query.Get("lang"); slices.ContainsFunc(languages, func(w words) bool { return w.Language == choice }) {
		who.Choice = choice
	}
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if name == "gzip" {
			q, err := strconv.ParseFloat(strings.TrimPrefix(weight, "q="), 64)
			who.Gzip = weight == "" || err == nil && q > 0
		}
	}
	return who
}

// A frame is the data that all pages have.
type frame struct {
	T         *words
	Languages []words
	Style     template.CSS // ours
	Script    string       // address of the page's module; "": no script
	Site      Site
	Query     string // of links to other pages: it keeps a chosen language
	Title     string
	Another   bool // the menu only leads to the check of another document
	NoIndex   bool // search engines do not list the page
	Wide      bool

	Typed, Problem string // in the form for a reference
}

// frame returns the frame of a page for a reader, and the requested languages.
func (p *Pages) frame(who Reader) (frame, []language.Tag) {
	wanted, _, err := language.ParseAcceptLanguage(who.Accept)
	if err != nil {
		wanted = nil // the header is not valid
	}
	f := frame{Languages: languages, Style: template.CSS(style), Site: p.site()}
	if who.Choice != "" {
		wanted, f.Query = append([]language.Tag{language.Make(who.Choice)}, wanted...), "?lang="+who.Choice
	}
	_, i, _ := p.match.Match(wanted...)
	f.T = &languages[i]
	return f, wanted
}

// write sends a page. No cache may store it: the next answer may be different.
func (p *Pages) write(w http.ResponseWriter, who Reader, status int, name string, t *words, policy string, page any) error {
	var drawn bytes.Buffer
	err := p.drawn.ExecuteTemplate(&drawn, name, page)
	if err != nil {
		return err
	}
	body := drawn.Bytes()
	h := w.Header()
	if who.Gzip {
		if body, err = compressed(body); err != nil {
			return err
		}
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", t.Language)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", Vary)
	w.WriteHeader(status)
	_, err = w.Write(body)
	return err
}

// compressed compresses by gzip.
func compressed(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(data)
	err = errors.Join(err, z.Close())
	return packed.Bytes(), err
}

// Vary is the header of that name of every page.
const Vary = "Accept, Accept-Language, Accept-Encoding"
