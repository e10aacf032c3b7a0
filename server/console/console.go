package console

import (
	"context"
	"embed"
	"net/http"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
)

// Accounts has the users and their sessions. Package account implements it.
type Accounts interface {
	frame.Sessions
	SignIn(ctx context.Context, email, password string, from account.From) (account.Ticket, error)
	Code(ctx context.Context, token, code string, from account.From) (account.Ticket, error)
	Enrolment(ctx context.Context, token, issuer string, from account.From) (account.Enrolment, error)
	Enrol(ctx context.Context, token, code string, from account.From) (account.Ticket, []string, error)
	Invited(ctx context.Context, link string) (account.User, time.Time, error)
	Accept(ctx context.Context, link, password string, from account.From) (account.Ticket, error)
	Sessions(ctx context.Context, v account.Visit) ([]account.Session, error)
	End(ctx context.Context, v account.Visit, id string) error
	SignOut(ctx context.Context, token string, from account.From) error
}

// Config has the parts of the console. Accounts is required; frame.Config.Sessions is set
// by it.
type Config struct {
	frame.Config
	Accounts Accounts
	// Areas make the screens behind the door.
	Areas []func(*frame.Frame) frame.Area
}

//go:embed templates
var files embed.FS

// console has the screens of this package.
type console struct {
	*frame.Frame
	accounts Accounts
}

// Frame returns the frame with all areas. It returns an error if a template is broken.
func Frame(c Config) (*frame.Frame, error) {
	c.Sessions = c.Accounts
	f, err := frame.New(c.Config)
	if err != nil {
		return nil, err
	}
	a := &console{f, c.Accounts}
	if err := f.Add(a.area()); err != nil {
		return nil, err
	}
	for _, area := range c.Areas {
		if err := f.Add(area(f)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// area returns the screens of this package.
func (a *console) area() frame.Area {
	return frame.Area{
		Name: "door", Files: files,
		Links: []frame.Link{
			{Path: "/console/", Place: 0, Needs: account.Self, Label: func(l string) string { return words.Of(l).Overview }},
			{Path: "/console/sessions", Place: 99, Needs: account.Self, Label: frame.SessionsLabel},
		},
		Routes: []frame.Route{
			{Pattern: "GET /console/signin", Serve: open(a.signInPage)},
			{Pattern: "POST /console/signin", Serve: open(a.signIn)},
			{Pattern: "GET /console/code", Serve: a.at(account.StageCode, a.codePage)},
			{Pattern: "POST /console/code", Serve: a.at(account.StageCode, a.code)},
			{Pattern: "GET /console/enrol", Serve: a.at(account.StageEnrol, a.enrolPage)},
			{Pattern: "POST /console/enrol", Serve: a.at(account.StageEnrol, a.enrol)},
			{Pattern: "GET /console/welcome/{token}", Serve: open(a.welcomePage)},
			{Pattern: "POST /console/welcome/{token}", Serve: open(a.welcome)},
			{Pattern: "POST /console/signout", Serve: open(a.signOut)},
			{Pattern: "GET /console/{$}", Needs: account.Self, Serve: a.overview},
			{Pattern: "GET /console/sessions", Needs: account.Self, Serve: a.sessions},
			{Pattern: "POST /console/sessions/end", Needs: account.Self, Serve: a.endSession},
		},
	}
}

// open makes a route that needs no session.
func open(serve http.HandlerFunc) func(http.ResponseWriter, *http.Request, account.Visit) {
	return func(w http.ResponseWriter, r *http.Request, _ account.Visit) { serve(w, r) }
}

// view is the data of the screens of this package. Each uses its own members.
type view struct {
	Email    string
	Invited  account.User
	Until    string
	QR       frame.Drawing
	Secret   string
	Codes    []string
	SignedIn string
	May      []account.Action
	Sessions []sessionRow
}

// page returns a page with the words of this package, and its data.
func (a *console) page(r *http.Request, v *account.Visit, title func(*texts) string) (*frame.Page, *view) {
	p, d := a.Page(r, v), &view{}
	w := words.In(p)
	p.Title, p.W, p.D = title(w), w, d
	return p, d
}
