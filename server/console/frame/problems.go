package frame

import (
	"net/http"
	"net/url"
	"strings"

	"tcode/server/fault"
)

// Problems are the problems of a form that a service refused.
type Problems struct {
	General Sentences            // not of one field; may be nil
	Fields  map[string]Sentences // by field
}

// Of returns the problems of a field.
func (p Problems) Of(field string) Sentences { return p.Fields[field] }

// Any reports whether there are problems.
func (p Problems) Any() bool { return len(p.General) > 0 || len(p.Fields) > 0 }

// Add notes a problem of a field in the words of a screen.
func (p *Problems) Add(field, text string) {
	if p.Fields == nil {
		p.Fields = map[string]Sentences{}
	}
	p.Fields[field] = append(p.Fields[field], Sentence{Text: text})
}

// Wrong returns the problem of one field in the words of a screen.
func Wrong(field, text string) (p Problems) {
	p.Add(field, text)
	return p
}

// Refused returns the problems that err has for a person, in the language of the request. ok
// is false if err is another error, which [Frame.Failed] answers.
func (f *Frame) Refused(r *http.Request, err error) (p Problems, status int, ok bool) {
	why := fault.As(err)
	switch why.Kind {
	case fault.Invalid:
		status = http.StatusBadRequest
	case fault.Conflict:
		status = http.StatusConflict
	case fault.Forbidden:
		status = http.StatusForbidden
	default:
		return p, 0, false
	}
	t := f.words(r)
	if len(why.Fields) == 0 {
		p.General = t.Said(why.Said())
		return p, status, true
	}
	p.Fields = map[string]Sentences{}
	for name, said := range why.Fields {
		p.Fields[name] = t.Said(said...)
	}
	return p, status, true
}

// A Sentence is a sentence for people.
type Sentence struct {
	Text string
	Lang string // BCP 47; "": that of the page
}

// Sentences are what there is to say about one thing. A template shows them by "say".
type Sentences []Sentence

// String returns the sentences as one text.
func (s Sentences) String() string {
	var out []string
	for _, one := range s {
		out = append(out, one.Text)
	}
	return strings.Join(out, "; ")
}

// Own returns a sentence in the words of a screen, or nothing for "".
func Own(text string) Sentences {
	if text == "" {
		return nil
	}
	return Sentences{{Text: text}}
}

// Said returns the sentences of services in the language of the words, as [Say] does.
func (w *Words) Said(texts ...fault.Text) Sentences { return Say(w.Language, texts...) }

// Back sends the browser to a path after a form. done, if not "", is a key of the words in
// [Page.DoneBy]: the screen there shows that sentence.
func Back(w http.ResponseWriter, r *http.Request, path, done string) {
	if done != "" {
		path += "?" + url.Values{"done": {done}}.Encode()
	}
	http.Redirect(w, r, path, http.StatusSeeOther)
}

// DoneBy sets the notice of a page by what the form before it did.
func (p *Page) DoneBy(r *http.Request, words map[string]string) {
	p.Done = words[r.URL.Query().Get("done")]
}
