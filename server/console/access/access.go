package access

import (
	"context"
	"embed"
	"net/http"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
)

// Keys has API keys and signing keys. Package tenant implements it.
type Keys interface {
	Keys(ctx context.Context, tenantRef string) ([]tenant.APIKey, error)
	Key(ctx context.Context, tenantRef, prefix string) (tenant.APIKey, error)
	CreateKey(ctx context.Context, tenantRef string, opt tenant.KeyOptions) (tenant.NewKey, error)
	RotateKey(ctx context.Context, tenantRef, prefix string, opt tenant.RenewOptions) (tenant.NewKey, error)
	RevokeKey(ctx context.Context, tenantRef, prefix string) error
	Left(ctx context.Context, tenantRef, author string) ([]tenant.Left, error)

	SigningKeys(ctx context.Context, tenantRef string) ([]tenant.SigningKey, error)
	RotateSigningKey(ctx context.Context, tenantRef string, opt tenant.RotateOptions) (tenant.SigningKey, error)
	RetireSigningKey(ctx context.Context, tenantRef string, seq int) (tenant.SigningKey, *tenant.SigningKey, error)
	CompromiseSigningKey(ctx context.Context, tenantRef string, seq int, since time.Time) (tenant.Compromise, error)
}

// Webhooks has endpoints and their deliveries. Package webhook implements it.
type Webhooks interface {
	List(ctx context.Context, tenantRef string) ([]webhook.Endpoint, error)
	Endpoint(ctx context.Context, tenantRef, id string) (webhook.Endpoint, error)
	CountDay(ctx context.Context, tenantRef string) (map[string]webhook.Counts, error)
	Create(ctx context.Context, tenantRef, url string, events webhook.Filter) (webhook.Endpoint, string, error)
	Update(ctx context.Context, tenantRef, id string, u webhook.Update) (webhook.Endpoint, error)
	Enable(ctx context.Context, tenantRef, id string) (webhook.Endpoint, error)
	Disable(ctx context.Context, tenantRef, id string) (webhook.Endpoint, error)
	Remove(ctx context.Context, tenantRef, id string) error
	RotateSecret(ctx context.Context, tenantRef, id string) (webhook.Endpoint, string, error)
	Test(ctx context.Context, tenantRef, id string) (webhook.Try, error)
	DeliveryPage(ctx context.Context, tenantRef, endpoint string, s webhook.State, page, size int) (webhook.DeliveryPage, error)
	DeliveryOf(ctx context.Context, tenantRef, endpoint, id string) (webhook.Delivery, []webhook.Try, error)
	Redeliver(ctx context.Context, tenantRef, id string) error
	RedeliverFailed(ctx context.Context, tenantRef, endpoint string, since time.Time) (int, error)
}

// Config has the services behind the screens. All are required.
type Config struct {
	Keys     Keys
	Webhooks Webhooks
}

//go:embed templates
var files embed.FS

// access has the screens of this package.
type access struct {
	*frame.Frame
	c Config
}

// New returns the maker of the area.
func New(c Config) func(*frame.Frame) frame.Area {
	return func(f *frame.Frame) frame.Area { return (&access{f, c}).area() }
}

func (a *access) area() frame.Area {
	area := frame.Area{
		Name: "access", Files: files, Words: words,
		Links: []frame.Link{
			{Path: "/console/keys", Place: 21, Needs: account.Integrate, Label: func(l string) string { return words.Of(l).Keys }},
			{Path: "/console/webhooks", Place: 22, Needs: account.Integrate, Label: func(l string) string { return words.Of(l).Webhooks }},
			{Path: "/console/signing", Place: 23, Needs: account.Manage, Label: func(l string) string { return words.Of(l).Signing }},
		},
	}
	for _, group := range []struct {
		needs  account.Action
		routes map[string]func(http.ResponseWriter, *http.Request, account.Visit)
	}{
		{account.Integrate, map[string]func(http.ResponseWriter, *http.Request, account.Visit){
			"GET /console/keys":                  a.keys,
			"GET /console/keys/new":              a.newKeyPage,
			"POST /console/keys/new":             a.newKey,
			"GET /console/keys/{prefix}/renew":   a.renewPage,
			"POST /console/keys/{prefix}/renew":  a.renew,
			"GET /console/keys/{prefix}/revoke":  a.revokePage,
			"POST /console/keys/{prefix}/revoke": a.revoke,

			"GET /console/webhooks":                                        a.hooks,
			"GET /console/webhooks/new":                                    a.newHookPage,
			"POST /console/webhooks/new":                                   a.newHook,
			"GET /console/webhooks/{id}":                                   a.hook,
			"POST /console/webhooks/{id}":                                  a.changeHook,
			"POST /console/webhooks/{id}/state":                            a.switchHook,
			"POST /console/webhooks/{id}/test":                             a.testHook,
			"POST /console/webhooks/{id}/secret":                           a.newSecret,
			"POST /console/webhooks/{id}/redeliver":                        a.redeliverFailed,
			"GET /console/webhooks/{id}/remove":                            a.removeHookPage,
			"POST /console/webhooks/{id}/remove":                           a.removeHook,
			"GET /console/webhooks/{id}/deliveries/{delivery}":             a.delivery,
			"POST /console/webhooks/{id}/deliveries/{delivery}/redelivery": a.redeliver,
		}},
		{account.Manage, map[string]func(http.ResponseWriter, *http.Request, account.Visit){
			"GET /console/signing":                   a.signing,
			"POST /console/signing/rotate":           a.rotate,
			"GET /console/signing/{seq}/retire":      a.retirePage,
			"POST /console/signing/{seq}/retire":     a.retire,
			"GET /console/signing/{seq}/compromise":  a.compromisePage,
			"POST /console/signing/{seq}/compromise": a.compromise,
		}},
	} {
		for pattern, serve := range group.routes {
			area.Routes = append(area.Routes, frame.Route{Pattern: pattern, Needs: group.needs, Serve: serve})
		}
	}
	return area
}

// page returns a page with the words of this package and the data of its screen.
func (a *access) page(r *http.Request, v account.Visit, title string, data any) (*frame.Page, *texts) {
	p := a.Page(r, &v)
	w := words.In(p)
	p.Title, p.W, p.D = title, w, data
	p.DoneBy(r, w.Done)
	return p, w
}

// texts returns the words in the language of a request.
func (a *access) texts(r *http.Request) *texts { return words.In(a.Page(r, nil)) }

// by returns a context whose changes are those of the user.
func by(r *http.Request, v account.Visit) context.Context {
	return tenant.WithBy(r.Context(), frame.Identity(r, v).By())
}

// confirm is the data of a screen on which a grave act is confirmed by typing.
type confirm struct {
	Effect  string // what the act does
	Left    []tenant.Left
	Typed   string // text to type
	Act     string // words of the button
	Back    string // path without the act
	Since   string // time to state; with Ask only
	Ask     bool   // the form asks since when
	Problem frame.Problems
}

// confirmPage draws the screen of a grave act.
func (a *access) confirmPage(w http.ResponseWriter, r *http.Request, v account.Visit, title string, c confirm) {
	status := http.StatusOK
	if c.Problem.Any() {
		status = http.StatusBadRequest
	}
	p, _ := a.page(r, v, title, c)
	a.Draw(w, r, status, "access/confirm", p)
}

// mistyped returns the problem of a confirmation that is not the wanted text.
func mistyped(r *http.Request, want, problem string) (frame.Problems, bool) {
	if r.PostFormValue("confirm") == want {
		return frame.Problems{}, false
	}
	return frame.Wrong("confirm", problem), true
}
