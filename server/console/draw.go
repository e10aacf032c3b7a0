package console

import (
	"bytes"
	"embed"
	"html/template"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"tcode/server/account"
)

//go:embed templates
var templates embed.FS

// A screen is one template in its frame: the door, or the console of a signed-in user.
type screen struct {
	*template.Template
	frame string
}

// frames has every screen with its frame.
var frames = map[string]string{
	"signin": "door", "code": "door", "enrol": "door", "welcome": "door", "recovery": "door", "message": "door",
	"overview": "console", "sessions": "console",
}

func parseScreens() (map[string]*screen, error) {
	all := map[string]*screen{}
	for name, frame := range frames {
		t, err := template.ParseFS(templates, "templates/base.html", "templates/"+name+".html")
		if err != nil {
			return nil, err
		}
		all[name] = &screen{t, frame}
	}
	return all, nil
}

// page is the data of every screen. Each has its own part.
type page struct {
	T         *texts
	Languages []*texts
	Style     string
	Host      string
	Back      string // path of the screen
	Title     string
	Visit     *account.Visit // nil at the door
	Initials  string

	Wrong, Wait string // why a form was refused
	Email       string
	Invited     account.User
	Until       string
	QR          qrCode
	Secret      string
	Codes       []string
	Message     string
	Leave       bool // offers to sign out
	SignedIn    string
	May         []account.Action
	Sessions    []sessionRow
}

// sessionRow is a line of the list of sessions.
type sessionRow struct {
	account.Session
	This        bool
	Began, Used string
}

// page returns the data of a screen.
func (a *console) page(r *http.Request, v *account.Visit, title func(*texts) string) *page {
	t := a.texts(r)
	p := &page{T: t, Languages: languages, Style: a.styleURL, Host: r.Host, Back: backTo(r.URL.Path), Title: title(t), Visit: v}
	if v != nil {
		p.Initials = initials(v.User.Label())
	}
	return p
}

// matcher selects among the languages.
func matcher() language.Matcher {
	tags := make([]language.Tag, len(languages))
	for i, l := range languages {
		tags[i] = language.Make(l.Language)
	}
	return language.NewMatcher(tags)
}

// texts returns the words in the language that the person chose, or that the browser
// requests.
func (a *console) texts(r *http.Request) *texts {
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
	_, i, _ := a.match.Match(wanted...)
	return languages[i]
}

// draw sends a screen.
func (a *console) draw(w http.ResponseWriter, r *http.Request, status int, name string, p *page) {
	var body bytes.Buffer
	s := a.screens[name]
	if err := s.ExecuteTemplate(&body, s.frame, p); err != nil {
		a.c.Log.ErrorContext(r.Context(), "cannot draw a screen", "screen", name, "err", err)
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	h := w.Header()
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

// moment returns a time for people. It has only digits, which are the same in every
// language.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" }

// minutes returns a duration in whole minutes, rounded up.
func minutes(d time.Duration) int { return int(math.Ceil(d.Minutes())) }
