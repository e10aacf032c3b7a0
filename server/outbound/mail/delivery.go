package mail

import (
	"bytes"
	"context"
	_ "embed"
	htmltemplate "html/template"
	"net/mail"
	"strings"
	"text/template"
	"time"

	"tcode/offline/dates"
)

// A Delivery is one message to one person about one document.
type Delivery struct {
	ID        string       // of the delivery, unique forever; [A-Za-z0-9-] only
	Recipient mail.Address // their name and address
	Language  string       // BCP 47; English replaces an unknown one

	Issuer    string // name of the tenant
	Title     string // of the document
	Reference string // TRF-... or TCR-...
	IssuedAt  time.Time
	ExpiresAt time.Time // zero: never
	CheckURL  string    // public page of the document
	Test      bool      // the document proves nothing

	Link       string    // where the file can be fetched; empty: no file, or it is attached
	LinkUntil  time.Time // zero: no end
	Attachment *File     // nil: none

	// Last, if not nil, is called when all of the message was sent but the line that makes the
	// server responsible for it. After an error of it the connection is cut, and the server
	// forgets the message.
	Last func(context.Context) error
}

// A File goes with a message.
type File struct {
	Name        string
	ContentType string
	Data        []byte
}

//go:embed message.html
var messageHTML string

//go:embed message.txt
var messageText string

// A page is the data for the templates.
type page struct {
	T texts
	Delivery
	Greeting, Intro, Issued, Expires, Until string
}

// A body is a message's subject and its two forms.
type body struct{ subject, text, html string }

// bodies fills the templates. It is safe for concurrent use.
type bodies struct {
	html *htmltemplate.Template
	text *template.Template
}

func newBodies() (bodies, error) {
	h, err := htmltemplate.New("html").Parse(messageHTML)
	if err != nil {
		return bodies{}, err
	}
	t, err := template.New("text").Parse(messageText)
	return bodies{h, t}, err
}

func (b bodies) render(d Delivery) (body, error) {
	t := textsFor(d.Language)
	fill := strings.NewReplacer("{name}", oneLine(d.Recipient.Name), "{issuer}", oneLine(d.Issuer), "{title}", oneLine(d.Title))
	p := page{
		T: t, Delivery: d, Greeting: fill.Replace(t.Greeting), Intro: fill.Replace(t.Intro),
		Issued: t.when(d.IssuedAt, dates.Moment), Expires: t.when(d.ExpiresAt, dates.LastDay), Until: t.when(d.LinkUntil, dates.Moment),
	}
	if d.Recipient.Name == "" {
		p.Greeting = t.GreetingNoName
	}
	p.Title, p.Issuer = oneLine(d.Title), oneLine(d.Issuer)
	var text, html bytes.Buffer
	if err := b.text.Execute(&text, p); err != nil {
		return body{}, err
	}
	if err := b.html.Execute(&html, p); err != nil {
		return body{}, err
	}
	subject := fill.Replace(t.Subject)
	if d.Test {
		subject = t.TestMark + subject
	}
	return body{subject, text.String(), html.String()}, nil
}

// when writes a time with a function of package dates. Among words that run from right to left it
// is isolated (UAX 9), because its parts would change places.
func (t texts) when(at time.Time, write func(time.Time) string) string {
	if at.IsZero() {
		return ""
	}
	if t.Direction == "rtl" {
		return "\u2066" + write(at) + "\u2069"
	}
	return write(at)
}

// oneLine keeps a name on its line: a further line would be a header, or a sentence that
// the gateway did not write.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
