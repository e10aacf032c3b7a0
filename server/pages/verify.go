package pages

import (
	"embed"
	"maps"
	"net/http"
	"slices"
)

//go:embed js
var scripts embed.FS

// Script is the address of the module of /verify. Its parts are at the same place.
const Script = "/verify/verify.js"

// A Module is a file of JavaScript as it is, and compressed by gzip.
type Module struct{ Plain, Packed []byte }

// Scripts returns the modules of /verify by their address.
func Scripts() (map[string]Module, error) {
	files, err := scripts.ReadDir("js")
	if err != nil {
		return nil, err
	}
	all := map[string]Module{}
	for _, f := range files {
		plain, err := scripts.ReadFile("js/" + f.Name())
		if err != nil {
			return nil, err
		}
		packed, err := compressed(plain)
		if err != nil {
			return nil, err
		}
		all["/verify/"+f.Name()] = Module{plain, packed}
	}
	return all, nil
}

// verifyPolicy is what /verify may do in addition: run its own modules and the engine's
// worker, and ask this gateway. WebAssembly runs in the worker, whose own policy allows it.
const verifyPolicy = "; script-src 'self'; worker-src 'self'; connect-src 'self'"

// verifyPage is the data for verify.html.
type verifyPage struct {
	frame
	Answers       []said // all that a file can get, as templates for the module
	Reading, Read []piece
}

// onReference are the answers that only a reference gets.
var onReference = map[string]bool{"reference": true, "not_found": true, "issuer_suspended": true}

// Verify answers with the page that takes a reference or a file. typed is what a person
// typed that is no reference, or ""; unknown: it is a payload that no issuer has signed.
func (p *Pages) Verify(w http.ResponseWriter, who Reader, typed string, unknown bool) error {
	f, _ := p.frame(who)
	f.Title, f.Script, f.Typed = f.T.VerifyTitle+" – TCode", Script, typed
	if typed != "" {
		f.Problem = f.T.ReferenceShort
	}
	if unknown {
		f.Problem = f.T.SymbolUnknown
	}
	page := verifyPage{frame: f, Reading: fill(f.T.Reading, nil), Read: fill(f.T.Read, nil)}
	for _, key := range slices.Sorted(maps.Keys(answers)) {
		if !onReference[key] {
			page.Answers = append(page.Answers, f.T.say(key, nil))
		}
	}
	return p.write(w, who, http.StatusOK, "verify.html", f.T, p.policy+verifyPolicy, page)
}

// indexPage is the data for index.html.
type indexPage struct {
	frame
	Signs []sign
}

// A sign is one of the outlines with its meaning.
type sign struct{ Tone, Mark, Name, Text string }

// Index answers with the page that says what this is, and where to go.
func (p *Pages) Index(w http.ResponseWriter, who Reader) error {
	f, _ := p.frame(who)
	f.Title, f.Wide = "TCode: "+f.T.Question, true
	page := indexPage{frame: f}
	for i, look := range []look{answers["valid"], answers["compare"], answers["forged"], answers["unverified"]} {
		page.Signs = append(page.Signs, sign{look.Tone, look.Mark, f.T.Signs[i][0], f.T.Signs[i][1]})
	}
	return p.write(w, who, http.StatusOK, "index.html", f.T, p.policy, page)
}
