package pages

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"

	"tcode/offline/dates"
	"tcode/server/verify"
)

// documentPage is the data for document.html.
type documentPage struct {
	frame
	Said   said
	AsOf   moment // zero if nothing was looked up
	Advice string

	Known                 bool // all below is set
	Compare               bool // the facts must be compared with the document
	Recorded              bool // the day of issue is only recorded: the document may bear another date
	TestNote              bool
	Erased                []piece // nil: it is not
	Reference             string
	Groups                []string // of the reference, for people
	Issuer, Type          string
	Issued, Expires       moment
	Details               []detail // of a Trust document
	Fields                []detail // as signed
	Replacement, Replaces string
	TookPlace, SignedBy   []piece
	Brand                 Brand
	Name                  string // of the stamp; it need not stand on the document
	Questions             []piece
}

// A moment is a time for machines and for people. It has only digits, which are the same
// in every language.
type moment struct{ Machine, Human string }

// momentOf writes a time with a function of package dates.
func momentOf(t time.Time, write func(time.Time) string) moment {
	if t.IsZero() {
		return moment{}
	}
	return moment{t.UTC().Format(time.RFC3339), write(t)}
}

type detail struct{ Label, Value string }

// Twin answers with the page of a look-up by reference: 200, or 404 if nothing was found.
// asOf is the time of the look-up.
func (p *Pages) Twin(w http.ResponseWriter, who Reader, r verify.Result, asOf time.Time) error {
	page := p.twin(who, r, time.Time{}, asOf)
	page.Recorded = page.Compare // a letter bears the day when it was written
	return p.document(w, who, page)
}

// Document answers with the page of a Trust document, as [Pages.Twin] does with that of a
// stamp. reference is the requested one: the document's, or that of the stamp that it
// owns.
func (p *Pages) Document(w http.ResponseWriter, who Reader, reference string, r verify.DocumentResult, asOf time.Time) error {
	page := p.twin(who, verify.Result{
		Verdict: r.Verdict, Checks: r.Checks, IssuerName: r.IssuerName, IssuedAt: r.IssuedAt, DocumentType: r.DocumentType, Test: r.Test,
		KeyID: r.KeyID, Replaces: r.Replaces, ReplacedBy: r.ReplacedBy, ErasedAt: r.ErasedAt,
	}, r.ExpiresAt, asOf)
	if page.Known {
		page.name(reference)
		if r.RecipientName != "" {
			page.Details = append(page.Details, detail{page.T.Recipient, r.RecipientName})
		}
		if r.Title != "" {
			page.Details = append(page.Details, detail{page.T.Title, r.Title})
		}
	}
	return p.document(w, who, page)
}

// Problem answers with a page that says why there is no verdict: status is 429, or one
// from 500 on.
func (p *Pages) Problem(w http.ResponseWriter, who Reader, status int) error {
	var page documentPage
	page.frame, _ = p.frame(who)
	key := "failed"
	if page.Advice = page.T.FailedAdvice; status == http.StatusTooManyRequests {
		key, page.Advice = "busy", page.T.BusyAdvice
	}
	page.Said = page.T.say(key, nil)
	return p.send(w, who, status, page)
}

func (p *Pages) document(w http.ResponseWriter, who Reader, page documentPage) error {
	if !page.Known {
		return p.send(w, who, http.StatusNotFound, page)
	}
	return p.send(w, who, http.StatusOK, page)
}

func (p *Pages) send(w http.ResponseWriter, who Reader, status int, page documentPage) error {
	page.Title, page.Another, page.NoIndex = page.Said.title(), true, true
	if page.Known {
		page.Title += ": " + page.Reference + " – " + page.Issuer
	}
	w.Header().Set("X-Robots-Tag", "noindex")
	policy := p.policy
	if page.Brand.Logo != "" {
		policy = strings.Replace(policy, "img-src", "img-src 'self'", 1)
	}
	return p.write(w, who, status, "document.html", page.T, policy, page)
}

// twin returns the page of a look-up. expires is the end of a Trust document; zero: never.
func (p *Pages) twin(who Reader, r verify.Result, expires, asOf time.Time) documentPage {
	f, wanted := p.frame(who)
	page := documentPage{frame: f, AsOf: momentOf(asOf, dates.Moment), Expires: momentOf(expires, dates.LastDay)}
	values := map[string]string{"issuer": r.IssuerName, "date": page.Expires.Human, "key": r.KeyID}
	page.Said = f.T.say(keyOf(r), values)
	if r.Verdict == verify.NotFound {
		if !r.Test {
			page.Advice = f.T.NotFoundAdvice
		}
		return page
	}
	page.Known, page.Compare = true, page.Said.Tone == "look"
	page.TestNote = r.Test && page.Said.Key != "test"
	page.name(r.Reference.String())
	page.Issuer, page.Issued = r.IssuerName, momentOf(r.IssuedAt, dates.Day)
	page.Replacement, page.Replaces = r.ReplacedBy, r.Replaces
	page.TookPlace, page.SignedBy = fill(f.T.TookPlace, values), fill(f.T.SignedBy, values)
	page.Brand, page.Name, page.Questions = p.about.Brand, p.about.Name, fill(f.T.Questions, values)
	if r.Verdict != verify.Valid {
		page.Brand.Logo = "" // a picture of any words would stand above a verdict that is not good
	}
	wanted = append(slices.Clone(wanted), language.Make(f.T.Language))
	if page.Type = inLanguage(r.DocumentType.Names, wanted); page.Type == "" {
		page.Type = r.DocumentType.Code
	}
	page.Fields = fieldsOf(r, p.about.Labels, wanted)
	if !r.ErasedAt.IsZero() {
		page.Erased = fill(f.T.Erased, map[string]string{"date": dates.Moment(r.ErasedAt)})
	}
	return page
}

// name sets the reference, also in groups of four characters.
func (page *documentPage) name(reference string) {
	const prefix, size = len("TCR-"), 4
	page.Reference, page.Groups = reference, nil
	for rest := reference; rest != ""; {
		n := min(size, len(rest))
		if page.Groups == nil {
			n = min(prefix+size, len(rest))
		}
		page.Groups, rest = append(page.Groups, rest[:n]), rest[n:]
	}
}

// fieldsOf returns the fields with their labels: those of the document type, which are in
// several languages, else those of the template, else the keys as words.
func fieldsOf(r verify.Result, labels map[string]string, wanted []language.Tag) (out []detail) {
	for _, f := range r.Fields {
		label := cmp.Or(inLanguage(r.DocumentType.FieldLabels[f.Key], wanted), labels[f.Key], spoken(f.Key))
		out = append(out, detail{label, f.Value})
	}
	return out
}

// spoken turns the key of a field without a label into words: full_name and fullName
// become "Full name".
func spoken(key string) string {
	var out []rune
	for i, c := range key {
		switch {
		case c == '_' || c == '-':
			c = ' '
		case i > 0 && unicode.IsUpper(c) && unicode.IsLower(out[len(out)-1]):
			out, c = append(out, ' '), unicode.ToLower(c)
		case i == 0:
			c = unicode.ToUpper(c)
		}
		out = append(out, c)
	}
	return string(out)
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
