package team_test

import (
	"bytes"
	"io"
	"log"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// postbox is an SMTP server that keeps texts by recipient.
type postbox struct {
	mu    sync.Mutex
	texts map[string][]string
}

// NewSession begins a session.
func (p *postbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &letter{box: p}, nil }

type letter struct {
	box *postbox
	to  string
}

func (*letter) Mail(string, *smtp.MailOptions) error { return nil }
func (l *letter) Rcpt(to string, _ *smtp.RcptOptions) error {
	l.to = to
	return nil
}
func (*letter) Reset()        {}
func (*letter) Logout() error { return nil }
func (l *letter) Data(r io.Reader) error {
	m, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(m.Body)
	if m.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		raw, err = io.ReadAll(quotedprintable.NewReader(bytes.NewReader(raw)))
	}
	l.box.mu.Lock()
	defer l.box.mu.Unlock()
	l.box.texts[l.to] = append(l.box.texts[l.to], m.Header.Get("Subject")+"\n"+string(raw))
	return err
}

// last returns the newest message to an address.
func (p *postbox) last(t *testing.T, to string, want int) string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.texts[to]); n != want {
		t.Fatalf("%d messages to %s, want %d", n, to, want)
	}
	return p.texts[to][want-1]
}

// withMail has a gateway send to the postbox.
func (p *postbox) withMail(t *testing.T) func(*server.Config) {
	t.Helper()
	p.texts = map[string][]string{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	harness.Must(t, err)
	s := smtp.NewServer(p)
	s.Domain, s.ErrorLog = "t.example", log.New(io.Discard, "", 0)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	m, err := harness.Mail("smtp://" + l.Addr().String())
	harness.Must(t, err)
	return func(c *server.Config) { c.Mail, c.PublicURL = m, "http://gateway.example" }
}

// ids finds the users on the screen, by the address or name in their line.
func id(t *testing.T, page, label string) string {
	t.Helper()
	m := regexp.MustCompile(`href="/console/team/([0-9a-f-]{36})"><bdi>` + regexp.QuoteMeta(label) + `</bdi>`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no line of %s on %s", label, page)
	}
	return m[1]
}

// TestTeam: an owner invites a person by e-mail, who becomes a user; changes the role,
// resets, disables and removes. An address with an account elsewhere gives the same answers.
func TestTeam(t *testing.T) {
	t.Parallel()
	box := &postbox{}
	w := consoletest.NewWorld(t, box.withMail(t))
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	_, err := w.Admin.Tenants.CreateTenant(t.Context(), "Other", "OTHER1")
	harness.Must(t, err)
	w.Invite(account.Spec{Tenant: "OTHER1", Email: "taken@other.example", Role: account.Owner})

	answers := map[string]string{}
	for _, email := range []string{"freed@other.example", "taken@other.example"} {
		b.Want("/console/team", url.Values{"email": {email}, "name": {""}, "role": {"issuer"}}, 303, "/console/team?done=sent")
		page := b.Want("/console/team?done=sent", nil, 200, "").Text
		line := regexp.MustCompile(`(?s)<tr><td><a href="/console/team/[^"]+"><bdi>` + email + `.*?</tr>`).FindString(page)
		answers[email] = strings.NewReplacer(email, "", id(t, page, email), "").Replace(line)
		if line == "" || !strings.Contains(page, "The invitation was sent.") {
			t.Errorf("%s: %s", email, page)
		}
	}
	if answers["freed@other.example"] != answers["taken@other.example"] {
		t.Errorf("an account elsewhere shows:\n%s\n%s", answers["freed@other.example"], answers["taken@other.example"])
	}
	link := regexp.MustCompile(`http://gateway\.example(/console/welcome/[A-Za-z0-9_-]{43})`)
	if said := box.last(t, "taken@other.example", 1); !link.MatchString(said) || !strings.Contains(said, "Acme University") {
		t.Errorf("the message to an address with an account elsewhere: %s", said)
	}
	said := box.last(t, "freed@other.example", 1)
	m := link.FindStringSubmatch(said)
	if m == nil || !strings.Contains(said, "Ruth Nakamura invites you to the TCode console of Acme University") {
		t.Fatalf("the message: %s", said)
	}
	page := b.Send("/console/team", nil).Text
	if strings.Contains(page, m[1]) {
		t.Error("the list has a link")
	}
	kim := "/console/team/" + id(t, page, "freed@other.example")
	b.Want(kim+"/reset", url.Values{}, 303, "/console/team?done=sent") // again
	next := link.FindStringSubmatch(box.last(t, "freed@other.example", 2))
	person := w.Browser("person")
	person.Want(m[1], nil, 404, "")
	person.Enrol(next[1])

	for _, one := range []struct {
		path   string
		form   url.Values
		status int
		to     string
	}{
		{"/console/team", url.Values{"email": {"freed@other.example"}, "role": {"viewer"}}, 409, ""},
		{"/console/team", url.Values{"email": {"x"}, "role": {"viewer"}}, 400, ""},
		{"/console/team", url.Values{"email": {"x@acme.example"}, "role": {"operator"}}, 400, ""},
		{"/console/team", url.Values{}, 400, ""},
		{kim + "/role", url.Values{"role": {"operator"}}, 400, ""},
		{kim + "/role", url.Values{"role": {"viewer"}}, 303, "/console/team?done=role"},
		{kim + "/reset", url.Values{}, 400, ""},
		{kim + "/reset", url.Values{"confirm": {"ruth@acme.example"}}, 400, ""},
		{kim + "/reset", url.Values{"confirm": {"Freed@other.example "}}, 303, "/console/team?done=sent"},
		{kim + "/disable", url.Values{"confirm": {""}}, 400, ""},
		{kim + "/disable", url.Values{"confirm": {"freed@other.example"}}, 303, "/console/team?done=disabled"},
		{kim + "/disable", url.Values{"confirm": {"freed@other.example"}}, 409, ""},
		{kim + "/remove", url.Values{"confirm": {""}}, 400, ""},
		{kim + "/remove", url.Values{"confirm": {"freed@other.example"}}, 303, "/console/team?done=removed"},
		{kim + "/remove", url.Values{"confirm": {"freed@other.example"}}, 404, ""},
		{"/console/team/01999999-9999-7999-8999-999999999999/disable", url.Values{}, 404, ""},
		{"/console/team/x", nil, 404, ""},
	} {
		b.Want(one.path, one.form, one.status, one.to)
	}
	person.Want("/console/", nil, 303, "/console/signin")
	ruth := "/console/team/" + id(t, page, "Ruth Nakamura")
	for path, form := range map[string]url.Values{"/role": {"role": {"viewer"}}, "/disable": {"confirm": {"ruth@acme.example"}}, "/reset": {"confirm": {"ruth@acme.example"}}, "/remove": {"confirm": {"ruth@acme.example"}}} {
		if got := b.Want(ruth+path, form, 409, ""); !strings.Contains(got.Text, "must keep an owner") {
			t.Errorf("%s of the last owner: %s", path, got.Text)
		}
	}
	b.Want("/console/team", nil, 200, "")
}

// TestOtherTenants: an owner sees and changes no user of another tenant.
func TestOtherTenants(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	_, err := w.Admin.Tenants.CreateTenant(t.Context(), "Other", "OTHER1")
	harness.Must(t, err)
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	w.Invite(account.Spec{Tenant: "OTHER1", Email: "omar@other.example", Role: account.Owner})
	omar, err := w.Admin.Accounts.UserByEmail(t.Context(), "omar@other.example")
	harness.Must(t, err)
	if page := b.Want("/console/team", nil, 200, "").Text; strings.Contains(page, omar.ID) || strings.Contains(page, omar.Email) {
		t.Error("the list has a user of another tenant")
	}
	for path, form := range map[string]url.Values{
		"": nil, "/role": {"role": {"viewer"}}, "/reset": {"confirm": {omar.Email}}, "/disable": {"confirm": {omar.Email}}, "/remove": {"confirm": {omar.Email}},
	} {
		b.Want("/console/team/"+omar.ID+path, form, 404, "")
	}
	if now, err := w.Admin.Accounts.UserByEmail(t.Context(), omar.Email); err != nil || now.State != omar.State || now.Role != omar.Role {
		t.Errorf("%+v %v", now, err)
	}
}

// TestTeamScreens: without a mail server the link is shown once, to be given by hand; every
// screen passes axe, and texts of people stay texts.
//
//engine:sqlite the screens are the same on both
func TestTeamScreens(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	s := consoletest.Open(t, w)
	s.As(consoletest.Ruth(account.Owner))
	s.At("/console/team")
	s.Is("/console/team", "Team")
	s.Look("team")
	s.Fill("email", "kim@acme.example", "name", consoletest.Hostile[0])
	link := consoletest.Eval[string](s, `document.getElementById('link').textContent`)
	if !regexp.MustCompile(`^` + w.URL + `/console/welcome/[A-Za-z0-9_-]{43}$`).MatchString(link) {
		t.Errorf("the link %q", link)
	}
	s.Look("team-link")
	s.Quiet()
	s.At("/console/team")
	if consoletest.Eval[bool](s, `document.documentElement.outerHTML.includes('welcome/')`) {
		t.Error("the link is shown twice")
	}
	s.Fill("email", "kim@acme.example")
	s.Look("team-wrong")
	s.Forgive()
	at := consoletest.Eval[string](s, `[...document.querySelectorAll('td a')].find(a => a.textContent.includes('script')).getAttribute('href')`)
	s.At(at)
	s.Is(at, consoletest.Hostile[0])
	s.Look("team-invited")
	w.Browser("person").Enrol(strings.TrimPrefix(link, w.URL))
	w.Clock.Add(time.Minute)
	s.At(at)
	s.Look("team-one")
	s.Language("ar")
	s.Look("team-one-ar")
	s.At("/console/team")
	s.Look("team-ar")
	s.Language("en")
	s.At(at)
	s.Quiet()
	s.Fill("confirm-disable", "no")
	s.Look("team-one-wrong")
	if consoletest.Eval[bool](s, `!!window.hit`) {
		t.Error("a name has run")
	}
}
