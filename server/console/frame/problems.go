package frame

import (
	"net/http"
	"net/url"
	"strings"

	"tcode/server/fault"
)

// Problems are the problems of a form that a service refused.
type Problems struct {
	General string              // not of one field; may be ""
	Fields  map[string][]string // by field
}

// Of returns the problems of a field as one sentence, or "".
func (p Problems) Of(field string) string { return strings.Join(p.Fields[field], "; ") }

// Any reports whether there are problems.
func (p Problems) Any() bool { return p.General != "" || len(p.Fields) > 0 }

// Refused returns the problems that err has for a person. ok is false if err is another
// error, which [Frame.Failed] answers.
func Refused(err error) (p Problems, status int, ok bool) {
	f := fault.As(err)
	switch f.Kind {
	case fault.Invalid:
		status = http.StatusBadRequest
	case fault.Conflict:
		status = http.StatusConflict
	case fault.Forbidden:
		status = http.StatusForbidden
	default:
		return p, 0, false
	}
	if p.Fields = f.Fields; len(p.Fields) == 0 {
		p.General = f.Message
	}
	return p, status, true
}

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
