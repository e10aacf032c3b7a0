package frame

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"tcode/server/account"
	"tcode/server/tenant"
)

// A screen is one template in the page around it.
type screen struct{ *template.Template }

// functions are for templates. dict makes the data of a definition from names and values.
var functions = template.FuncMap{"dict": func(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is no name", pairs[i])
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}}

// parse adds the screens in files, whose names get the prefix.
func (f *Frame) parse(prefix string, set fs.FS) error {
	names, err := fs.Glob(set, "templates/*.html")
	if err != nil {
		return err
	}
	base, err := template.New("base.html").Funcs(functions).ParseFS(files, "templates/base.html")
	if err != nil {
		return err
	}
	if _, err := fs.Stat(set, "templates/parts.html"); err == nil {
		if base, err = base.ParseFS(set, "templates/parts.html"); err != nil {
			return err
		}
	}
	for _, name := range names {
		short := strings.TrimSuffix(path.Base(name), ".html")
		if short == "base" || short == "parts" {
			continue
		}
		t, err := template.Must(base.Clone()).ParseFS(set, name)
		if err != nil {
			return err
		}
		f.screens[prefix+short] = &screen{t}
	}
	return nil
}

// A Page is the data of every screen.
type Page struct {
	T         *Words
	Languages []*Words
	Style     string
	Scripts   []string // paths of modules; see [Frame.Scripts]
	Host      string
	Back      string // path of the screen
	Title     string
	Visit     *account.Visit // nil: the screen is not in the console of a signed-in user, but at its door
	Initials  string
	Nav       []NavLine
	Find      bool // the page has the field for a search

	Done  string // what the form before did, for a notice
	Wrong string // why a form was refused
	Wait  string // how long to wait before the next try

	W any // words of the area
	D any // data of the screen
}

// A NavLine is a line of the navigation as the user sees it.
type NavLine struct {
	Path, Label string
	Gap         bool // a group begins
	Here        bool
}

// Page returns the data of a screen for a signed-in user, or of one at the door if v is nil.
func (f *Frame) Page(r *http.Request, v *account.Visit) *Page {
	t := f.words(r)
	p := &Page{T: t, Languages: languages, Style: f.styleURL(), Host: r.Host, Back: backTo(r.URL.Path), Visit: v}
	if v == nil {
		return p
	}
	p.Initials = initials(v.User.Label())
	last := -1
	for _, l := range f.links {
		if !v.May(l.Needs) {
			continue
		}
		p.Nav = append(p.Nav, NavLine{l.Path, l.Label(t.Language), last >= 0 && l.Place/10 != last, false})
		last = l.Place / 10
		p.Find = p.Find || l.Path == findPath
	}
	p.mark()
	return p
}

// mark marks the line of the navigation with the longest path that leads to the screen.
func (p *Page) mark() {
	at := -1
	for i, l := range p.Nav {
		leads := p.Back == l.Path || l.Path != "/console/" && strings.HasPrefix(p.Back, l.Path+"/")
		if leads && (at < 0 || len(l.Path) > len(p.Nav[at].Path)) {
			at = i
		}
	}
	if at >= 0 {
		p.Nav[at].Here = true
	}
}

// findPath is the screen that answers the search in the bar, as "search".
const findPath = "/console/stamps"

// Scripts returns the paths of modules, "AREA/NAME.js" each, for [Page.Scripts]. It panics if
// there is no such module.
func (f *Frame) Scripts(names ...string) (paths []string) {
	for _, name := range names {
		at, ok := f.modules[name]
		if !ok {
			panic("no module " + name)
		}
		paths = append(paths, at)
	}
	return paths
}

// Identity returns the user of a request as the author of changes to the user's tenant.
func Identity(r *http.Request, v account.Visit) tenant.Identity {
	return tenant.Identity{Tenant: v.Tenant, User: v.User.ID, TraceID: tenant.ByOf(r.Context()).TraceID}
}

// matcher selects among the languages.
func matcher() language.Matcher {
	tags := make([]language.Tag, len(languages))
	for i, l := range languages {
		tags[i] = language.Make(l.Language)
	}
	return language.NewMatcher(tags)
}

// words returns the words in the language that the person chose, or that the browser
// requests.
func (f *Frame) words(r *http.Request) *Words {
	if c, err := r.Cookie(languageName); err == nil {
		for _, t := range languages {
			if t.Language == c.Value {
				return t
			}
		}
	}
	wanted, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil {
		wanted = nil // the header is not valid
	}
	_, i, _ := f.match.Match(wanted...)
	return languages[i]
}

// Draw sends a screen, "AREA/NAME".
func (f *Frame) Draw(w http.ResponseWriter, r *http.Request, status int, name string, p *Page) {
	var body bytes.Buffer
	around := "door"
	if p.Visit != nil {
		around = "console"
	}
	if err := f.screens[name].ExecuteTemplate(&body, around, p); err != nil {
		f.c.Log.ErrorContext(r.Context(), "cannot draw a screen", slog.String("screen", name), slog.Any("err", err))
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	if len(p.Scripts) > 0 {
		h.Set("Content-Security-Policy", scriptedPolicy)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", p.T.Language)
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}

// backTo returns a path of the console to which a form may lead back.
func backTo(p string) string {
	if !strings.HasPrefix(p, "/console/") || path.Clean(p) != strings.TrimSuffix(p, "/") || strings.ContainsAny(p, "\\?#") {
		return "/console/"
	}
	return p
}

// initials returns at most two letters of a name.
func initials(name string) string {
	var out []rune
	for _, word := range strings.Fields(name) {
		if r, _ := utf8.DecodeRuneInString(word); len(out) < 2 && unicode.IsLetter(r) {
			out = append(out, unicode.ToUpper(r))
		}
	}
	return string(out)
}

// Moment returns a time for people, to the minute, "" for the zero time. It has only digits,
// which are the same in every language.
func Moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04") + " UTC"
}
