package oversight

import (
	"context"
	"embed"
	"net/http"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/tenant"
)

// Tenants has audit log, plans and use. Package tenant implements it.
type Tenants interface {
	AuditPage(ctx context.Context, f tenant.AuditFilter, page, size int) (tenant.AuditPage, error)
	EachAudit(ctx context.Context, f tenant.AuditFilter, do func(tenant.Entry) error) error
	Keys(ctx context.Context, reference string) ([]tenant.APIKey, error)
	Plan(ctx context.Context, reference string) (tenant.Plan, error)
	Report(ctx context.Context, reference string, m tenant.Month) ([]tenant.KindUsage, error)
	Days(ctx context.Context, reference string, first, last tenant.Day) ([]tenant.DayUsage, error)
	Month() tenant.Month
	Today() tenant.Day
}

// Users has the names of people. Package account implements it.
type Users interface {
	Users(ctx context.Context, tenantRef string) ([]account.User, error)
}

// Config has the services behind the screens. All are required.
type Config struct {
	Tenants Tenants
	Users   Users
}

//go:embed templates
var files embed.FS

// oversight has the screens of this package.
type oversight struct {
	*frame.Frame
	c Config
}

// New returns the maker of the area.
func New(c Config) func(*frame.Frame) frame.Area {
	return func(f *frame.Frame) frame.Area {
		a := &oversight{f, c}
		return frame.Area{
			Name: "oversight", Files: files, Words: words,
			Links: []frame.Link{
				{Path: "/console/audit", Place: 31, Needs: account.Audit, Label: func(l string) string { return words.Of(l).Audit }},
				{Path: "/console/plan", Place: 33, Needs: account.See, Label: func(l string) string { return words.Of(l).Plan }},
				{Path: "/console/operator/audit", Place: 45, Needs: account.Operate, Label: func(l string) string { return words.Of(l).Audit }},
			},
			Routes: []frame.Route{
				{Pattern: "GET /console/audit", Needs: account.Audit, Serve: a.audit},
				{Pattern: "GET /console/audit.csv", Needs: account.Audit, Serve: a.export},
				{Pattern: "GET /console/plan", Needs: account.See, Serve: a.plan},
				{Pattern: "GET /console/operator/audit", Needs: account.Operate, Serve: a.audit},
				{Pattern: "GET /console/operator/audit.csv", Needs: account.Operate, Serve: a.export},
			},
		}
	}
}

// page returns a page with the words of this package and the data of its screen.
func (a *oversight) page(r *http.Request, v account.Visit, data any) (*frame.Page, *texts) {
	p := a.Page(r, &v)
	w := words.In(p)
	p.W, p.D = w, data
	return p, w
}
