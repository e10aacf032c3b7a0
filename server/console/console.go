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

	PasskeyChallenge(ctx context.Context, origin string, from account.From) (account.Challenge, error)
	SignInPasskey(ctx context.Context, origin, sealed, answer string, from account.From) (account.Ticket, error)
	Passkeys(ctx context.Context, v account.Visit) ([]account.Passkey, error)
	NewPasskey(ctx context.Context, v account.Visit, origin string, from account.From) (account.Challenge, error)
	InvitedPasskey(ctx context.Context, link, origin string, from account.From) (account.Challenge, error)
	AcceptPasskey(ctx context.Context, link, origin, sealed, name, answer string, from account.From) (account.Ticket, error)
	AddPasskey(ctx context.Context, v account.Visit, origin, sealed, name, answer string, from account.From) error
	RemovePasskey(ctx context.Context, v account.Visit, id string) error

	Provider(ctx context.Context, tenantRef string) (account.Provider, error)
	BeginFlow(tenantRef string, from account.From) (f account.Flow, sealed string, err error)
	OpenFlow(sealed, state string, from account.From) (account.Flow, error)
	Choose(ctx context.Context, sealed, tenantRef string, from account.From) (account.Ticket, error)
	Organisation(ctx context.Context, tenantRef string) (string, error)
	SignInIdentity(ctx context.Context, f account.Flow, id account.Identity, from account.From) (account.Ticket, error)
}

// Providers asks OpenID providers. Package openid implements it.
type Providers interface {
	AuthURL(p account.Provider, f account.Flow, redirect string) (string, error)
	Identity(ctx context.Context, p account.Provider, f account.Flow, redirect, code, iss string) (account.Identity, error)
}

// Config has the parts of the console. Accounts and Providers are required; frame.Config.Sessions is set
// by it.
type Config struct {
	frame.Config
	Accounts  Accounts
	Providers Providers
	// Areas make the screens behind the door.
	Areas []func(*frame.Frame) frame.Area
}

//go:embed templates assets
var files embed.FS

// console has the screens of this package.
type console struct {
	*frame.Frame
	accounts  Accounts
	providers Providers
}

// Frame returns the frame with all areas. It returns an error if a template is broken.
func Frame(c Config) (*frame.Frame, error) {
	c.Sessions = c.Accounts
	f, err := frame.New(c.Config)
	if err != nil {
		return nil, err
	}
	a := &console{f, c.Accounts, c.Providers}
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
		Name: "door", Files: files, Words: words,
		Links: []frame.Link{
			{Path: "/console/", Place: 0, Needs: account.Self, Label: func(l string) string { return words.Of(l).Overview }},
			{Path: "/console/account", Place: 97, Needs: account.See, Label: func(l string) string { return words.Of(l).Account }},
			{Path: "/console/passkeys", Place: 98, Needs: account.Self, Label: func(l string) string { return words.Of(l).Passkeys }},
			{Path: "/console/sessions", Place: 99, Needs: account.Self, Label: frame.SessionsLabel},
		},
		Routes: []frame.Route{
			{Pattern: "GET /console/signin", Serve: open(a.signInPage)},
			{Pattern: "POST /console/signin", Serve: open(a.signIn)},
			{Pattern: "POST /console/choose", Serve: open(a.choose)},
			{Pattern: "GET /console/code", Serve: a.at(account.StageCode, a.codePage)},
			{Pattern: "POST /console/code", Serve: a.at(account.StageCode, a.code)},
			{Pattern: "GET /console/enrol", Serve: a.at(account.StageEnrol, a.enrolPage)},
			{Pattern: "POST /console/enrol", Serve: a.at(account.StageEnrol, a.enrol)},
			{Pattern: "GET /console/welcome/{token}", Serve: open(a.welcomePage)},
			{Pattern: "POST /console/welcome/{token}", Serve: open(a.welcome)},
			{Pattern: "POST /console/welcome/{token}/passkey", Serve: open(a.welcomePasskey)},
			{Pattern: "POST /console/signout", Serve: open(a.signOut)},
			{Pattern: "POST /console/passkey", Serve: open(a.signInPasskey)},
			{Pattern: "GET /console/openid/start", Serve: open(a.openIDStart)},
			{Pattern: "GET /console/openid/start/{tenant}", Serve: open(a.openIDStart)},
			{Pattern: "GET " + callback, Serve: open(a.openIDCallback)},
			{Pattern: "GET /console/passkeys", Needs: account.Self, Serve: a.passkeys},
			{Pattern: "POST /console/passkeys", Needs: account.Self, Serve: a.addPasskey},
			{Pattern: "POST /console/passkeys/remove", Needs: account.Self, Serve: a.removePasskey},
			{Pattern: "GET /console/{$}", Needs: account.Self, Serve: a.overview},
			{Pattern: "GET /console/account", Needs: account.Self, Serve: a.accountPage},
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
	Email        string
	Invited      account.User
	Organisation string // of Invited; "" of an operator
	Choice       account.Choice
	Until        string
	QR           frame.Drawing
	Secret       string
	Codes        []string
	SignedIn     string
	May          []account.Action
	Sessions     []sessionRow
	Provider     bool               // the gateway has an OpenID provider
	Passkey      *account.Challenge // nil: no passkey can be used or added
	Stale        bool               // the sign-in is too long ago to add one
	Passkeys     []passkeyRow
	PassName     string // of the passkey to add
	PasskeyWrong string // why a passkey was refused
	PasskeyKept  string // why a passkey was not removed
	Link         string // token of the one-time link
}

// page returns a page with the words of this package, and its data.
func (a *console) page(r *http.Request, v *account.Visit, title func(*texts) string) (*frame.Page, *view) {
	p, d := a.Page(r, v), &view{}
	w := words.In(p)
	p.Title, p.W, p.D = title(w), w, d
	return p, d
}
