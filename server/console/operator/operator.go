package operator

import (
	"context"
	"embed"
	"net/http"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/outbound/delivery"
	"tcode/server/refdata"
	"tcode/server/tenant"
)

// A State is the state of the gateway.
type State struct {
	Waiting     uint64    // changes that are not published yet
	PublishedAt time.Time // of the last publication
	Expires     time.Time // of the published documents

	RootVersion     uint64
	RootExpires     time.Time
	RootKeys        int
	RootThreshold   int
	RootAlone       bool   // the gateway can sign the next root without another key
	Fingerprint     string // of the trust root, hex
	OnlineHeld      bool   // this gateway has the online key
	Mails           map[delivery.State]int
	MailsConfigured bool

	Backup, Fsck Run // the last ones; zero times: none is on record

	Version, Go, Database string
	Started               time.Time
}

// A Run is a finished run of a command for maintenance.
type Run struct {
	At     time.Time
	Detail map[string]string
}

// Tenants has tenants and plans. Package tenant implements it.
type Tenants interface {
	Tenants(ctx context.Context) ([]tenant.Tenant, error)
	Tenant(ctx context.Context, reference string) (tenant.Tenant, error)
	CreateTenant(ctx context.Context, name, reference string) (tenant.Tenant, error)
	Suspend(ctx context.Context, reference string) error
	Activate(ctx context.Context, reference string) error
	Plan(ctx context.Context, reference string) (tenant.Plan, error)
	ChangePlan(ctx context.Context, reference string, change func(*tenant.Plan)) (tenant.Plan, error)
	Usage(ctx context.Context, reference string, m tenant.Month) ([]tenant.Usage, error)
	SigningKeys(ctx context.Context, reference string) ([]tenant.SigningKey, error)
	Month() tenant.Month
}

// DocumentTypes has document types. Package refdata implements it.
type DocumentTypes interface {
	DocumentTypes(ctx context.Context) ([]refdata.DocumentType, error)
	AddDocumentType(ctx context.Context, d refdata.DocumentType) error
	RetireDocumentType(ctx context.Context, code string) error
}

// Mails has messages. Package delivery implements it.
type Mails interface {
	List(ctx context.Context, tenantRef string, states []delivery.State, limit int) ([]delivery.Message, error)
	ResendFailed(ctx context.Context, tenantRef string, since time.Time) (int, error)
}

// Config has the services behind the screens. All are required.
type Config struct {
	State   func(ctx context.Context) (State, error)
	Tenants Tenants
	Types   DocumentTypes
	Mails   Mails
	Work    Work
}

//go:embed templates
var files embed.FS

// operator has the screens of this package.
type operator struct {
	*frame.Frame
	c Config
}

// New returns the maker of the area.
func New(c Config) func(*frame.Frame) frame.Area {
	return func(f *frame.Frame) frame.Area {
		a := &operator{f, c}
		link := func(path string, place int, label func(*texts) string) frame.Link {
			return frame.Link{Path: path, Place: place, Needs: account.Operate, Label: func(l string) string { return label(words.Of(l)) }}
		}
		route := func(pattern string, serve func(http.ResponseWriter, *http.Request, account.Visit)) frame.Route {
			return frame.Route{Pattern: pattern, Needs: account.Operate, Serve: serve}
		}
		return frame.Area{
			Name: "operator", Files: files, Words: words,
			Links: []frame.Link{
				link("/console/operator", 40, func(t *texts) string { return t.Gateway }),
				link("/console/operator/tenants", 41, func(t *texts) string { return t.Tenants }),
				link("/console/operator/document-types", 42, func(t *texts) string { return t.Types }),
				link("/console/operator/mail", 43, func(t *texts) string { return t.Mail }),
				link("/console/operator/work", 44, func(t *texts) string { return t.Work }),
			},
			Routes: []frame.Route{
				route("GET /console/operator", a.gateway),
				route("GET /console/operator/tenants", a.tenants),
				route("POST /console/operator/tenants", a.createTenant),
				route("GET /console/operator/tenants/{reference}", a.tenant),
				route("POST /console/operator/tenants/{reference}/plan", a.changePlan),
				route("POST /console/operator/tenants/{reference}/suspend", a.suspend),
				route("POST /console/operator/tenants/{reference}/activate", a.activate),
				route("GET /console/operator/document-types", a.types),
				route("POST /console/operator/document-types", a.addType),
				route("POST /console/operator/document-types/{code}/retire", a.retireType),
				route("GET /console/operator/mail", a.mail),
				route("POST /console/operator/mail", a.resend),
				route("GET /console/operator/work", a.work),
				route("POST /console/operator/work/retry", a.changeWork(a.c.Work.RetryTask, "retried")),
				route("POST /console/operator/work/cancel", a.changeWork(a.c.Work.CancelTask, "given")),
			},
		}
	}
}

// page returns a page with the words of this package and the data of its screen.
func (a *operator) page(r *http.Request, v account.Visit, data any) (*frame.Page, *texts) {
	p := a.Page(r, &v)
	w := words.In(p)
	p.W, p.D = w, data
	p.DoneBy(r, w.Done)
	return p, w
}

// texts returns the words in the language of a request.
func (a *operator) texts(r *http.Request) *texts { return words.In(a.Page(r, nil)) }

// by returns a context whose changes are those of the user.
func by(r *http.Request, v account.Visit) context.Context {
	return tenant.WithBy(r.Context(), frame.Identity(r, v).By())
}

// gatewayPage is the data of the gateway's screen.
type gatewayPage struct {
	State
	Behind     string // time since the last publication
	Late       bool   // something waits for longer than a minute
	Published  string
	RootDays   int
	RootSoon   bool // the root ends within 30 days
	RootEnd    string
	BackupAt   string
	BackupOld  bool // or there is none
	FsckAt     string
	FsckWrong  bool // it found problems, or there is none
	MailStates []mailCount
	StartedAt  string
}

// mailCount is a number of mails.
type mailCount struct {
	State delivery.State
	N     int
}

func (a *operator) gateway(w http.ResponseWriter, r *http.Request, v account.Visit) {
	st, err := a.c.State(r.Context())
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	now := a.Now()
	behind := now.Sub(st.PublishedAt)
	d := gatewayPage{
		State: st, Behind: behind.Round(time.Second).String(), Late: st.Waiting > 0 && behind > time.Minute || !now.Before(st.Expires), Published: frame.Moment(st.PublishedAt),
		RootDays: int(st.RootExpires.Sub(now).Hours() / 24), RootSoon: st.RootExpires.Sub(now) < 30*24*time.Hour, RootEnd: frame.Moment(st.RootExpires),
		BackupAt: frame.Moment(st.Backup.At), BackupOld: now.Sub(st.Backup.At) > 24*time.Hour,
		FsckAt: frame.Moment(st.Fsck.At), FsckWrong: st.Fsck.At.IsZero() || st.Fsck.Detail["problems"] != "0", StartedAt: frame.Moment(st.Started),
	}
	for _, s := range []delivery.State{delivery.Waiting, delivery.Sending} {
		d.MailStates = append(d.MailStates, mailCount{s, st.Mails[s]})
	}
	p, t := a.page(r, v, d)
	p.Title = t.Gateway
	p.Scripts = a.Scripts("frame/console.js")
	a.Draw(w, r, http.StatusOK, "operator/gateway", p)
}
