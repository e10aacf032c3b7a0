package dashboard

import (
	"context"
	"embed"
	"log/slog"
	"net/http"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/issue/bulk"
	"tcode/server/outbound/delivery"
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// Tenants has plans, usage and keys. Package tenant implements it.
type Tenants interface {
	Report(ctx context.Context, reference string, m tenant.Month) ([]tenant.KindUsage, error)
	Days(ctx context.Context, reference string, first, last tenant.Day) ([]tenant.DayUsage, error)
	Keys(ctx context.Context, tenantRef string) ([]tenant.APIKey, error)
	SigningKeys(ctx context.Context, tenantRef string) ([]tenant.SigningKey, error)
}

// Scans has the scans of a tenant's stamps, and their devices. Package verify implements it.
type Scans interface {
	Findings(ctx context.Context, tenantRef string, since time.Time) ([]verify.FindingCount, error)
	CountTenantDevices(ctx context.Context, tenantRef string) (verify.TenantDeviceCounts, error)
	TenantDevices(ctx context.Context, tenantRef string, f verify.TenantDeviceFilter, p verify.Page) (verify.TenantDevicePage, error)
}

// Bulk has bulk jobs. Package bulk implements it.
type Bulk interface {
	Browse(ctx context.Context, id tenant.Identity, f bulk.Filter, page, pageSize int) (bulk.Page, error)
}

// Webhooks has endpoints and their deliveries. Package webhook implements it.
type Webhooks interface {
	List(ctx context.Context, tenantRef string) ([]webhook.Endpoint, error)
	CountDay(ctx context.Context, tenantRef string) (map[string]webhook.Counts, error)
}

// Mails has the mails to recipients. Package delivery implements it.
type Mails interface {
	List(ctx context.Context, tenantRef string, states []delivery.State, limit int) ([]delivery.Message, error)
}

// Config has the parts of the area. All are required.
type Config struct {
	Tenants  Tenants
	Scans    Scans
	Bulk     Bulk
	Webhooks Webhooks
	Mails    Mails
}

//go:embed templates assets
var files embed.FS

// board has the screen.
type board struct {
	*frame.Frame
	c Config
}

// New returns the maker of the area.
func New(c Config) func(*frame.Frame) frame.Area {
	return func(f *frame.Frame) frame.Area {
		b := &board{f, c}
		return frame.Area{Name: "dashboard", Files: files, Words: lexicon, Home: b.home}
	}
}

// patience is the time for all parts of the screen together.
const patience = 2 * time.Second

// view is the data of the screen.
type view struct {
	Failed map[string]bool // parts that did not come
	First  []step          // what to do on the first days; none later
	Look   []line          // what deserves a look, gravest first
	Chart  chart
	Plan   []quota
	Month  string
	Keys   []keyLine
	Counts verify.TenantDeviceCounts
	Today  int64 // scans
	Going  []line
	Paths  paths
}

// paths are the screens that this one leads to; "" if there is none for the user.
type paths struct{ Stamp, Bulk, NewBulk, Stamps, Keys, Webhooks, Signing, Scanners, Team, Plan, Documents string }

// A visit is one request for the screen.
type visit struct {
	*board
	ctx  context.Context
	v    account.Visit
	id   tenant.Identity
	now  time.Time
	w    *words
	view view
}

// home shows the screen.
func (b *board) home(w http.ResponseWriter, r *http.Request, v account.Visit) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	p := b.Page(r, &v)
	t := lexicon.In(p)
	x := &visit{board: b, ctx: ctx, v: v, id: frame.Identity(r, v), now: b.Now(), w: t, view: view{Failed: map[string]bool{}}}
	to := func(path string) string { return b.Leads(path, v) }
	x.view.Paths = paths{
		Stamp: to("/console/stamp"), Stamps: to("/console/stamps"), Documents: to("/console/documents"), Bulk: to("/console/bulk"), Keys: to("/console/keys"), Webhooks: to("/console/webhooks"),
		Signing: to("/console/signing"), Scanners: to("/console/scanners"), Team: to("/console/team"), Plan: to("/console/plan"),
	}
	if x.view.Paths.Bulk != "" && v.May(account.Issue) {
		x.view.Paths.NewBulk = x.view.Paths.Bulk + "/new"
	}
	for _, part := range []struct {
		name string
		read func() error
	}{
		{"days", x.days},
		{"plan", x.plan},
		{"keys", x.keys},
		{"scanners", x.scanners},
		{"going", x.going},
		{"look", x.findings},
		{"look", x.failedJobs},
		{"look", x.failedHooks},
		{"look", x.failedMails},
		{"look", x.silent},
		{"look", x.oldKeys},
	} {
		if err := part.read(); err != nil {
			b.Log().ErrorContext(r.Context(), "part of the overview is missing", slog.String("part", part.name), slog.Any("err", err))
			x.view.Failed[part.name] = true
		}
	}
	x.firstDays()
	p.Title, p.W, p.D = t.Overview, t, x.view
	b.Draw(w, r, http.StatusOK, "dashboard/home", p)
}
