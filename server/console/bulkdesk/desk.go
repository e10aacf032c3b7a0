package bulkdesk

import (
	"context"
	"embed"
	"io"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/bulk"
	"tcode/server/issue/placement"
	"tcode/server/issue/tdoc"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// Bulk makes many documents of one upload. Package bulk implements it.
type Bulk interface {
	CheckOrder(ctx context.Context, id tenant.Identity, o bulk.Order, scheduledFor time.Time) error
	Create(ctx context.Context, id tenant.Identity, r bulk.Request) (bulk.Job, error)
	Proceed(ctx context.Context, id tenant.Identity, jobID string) (bulk.Job, error)
	Ordered(ctx context.Context, dry bulk.Job) (bulk.Job, error)
	Browse(ctx context.Context, id tenant.Identity, f bulk.Filter, page, pageSize int) (bulk.Page, error)
	Find(ctx context.Context, id tenant.Identity, jobID string) (bulk.Job, error)
	Change(ctx context.Context, id tenant.Identity, p bulk.Product, jobID string, a bulk.Action) (bulk.Job, error)
	RowPage(ctx context.Context, id tenant.Identity, p bulk.Product, jobID string, state bulk.RowState, page, pageSize int) (bulk.RowPage, error)
	Template(ctx context.Context, tenantRef string, o bulk.Order) (bulk.Layout, error)
	WriteErrors(ctx context.Context, j bulk.Job, w io.Writer) error
	WriteResults(ctx context.Context, j bulk.Job, w io.Writer) error
}

// Templates has the TDoc templates of a tenant. Package tdoc implements it.
type Templates interface {
	List(ctx context.Context, tenantRef string, archived bool) ([]tdoc.Template, error)
}

// Placements has the placement templates of a tenant. Package placement implements it.
type Placements interface {
	List(ctx context.Context, tenantRef string) ([]placement.Template, error)
}

// Documents has the Trust templates of a tenant. Package trustdoc implements it.
type Documents interface {
	Templates(ctx context.Context, tenantRef string, f trustdoc.TemplateFilter) (trustdoc.TemplatePage, error)
}

// People has the users of a tenant. Package account implements it.
type People interface {
	Users(ctx context.Context, tenantRef string) ([]account.User, error)
}

// Config has the parts of the area. All but Draining are required.
type Config struct {
	Bulk       Bulk
	Templates  Templates
	Placements Placements
	Documents  Documents
	People     People
	Spool      *spool.Folder // for files as they arrive
	// Draining reports whether the gateway is about to end: streams end then. nil: never.
	Draining func() bool
}

//go:embed templates assets
var files embed.FS

// The number of requests with a file that a gateway serves concurrently.
const (
	uploadPlaces = 4
	exportPlaces = 4
)

// desk has the screens.
type desk struct {
	*frame.Frame
	c                Config
	uploads, exports *gate.Slots
	streams          *streams
}

// New returns the maker of the area.
func New(c Config) func(*frame.Frame) frame.Area {
	if c.Draining == nil {
		c.Draining = func() bool { return false }
	}
	return func(f *frame.Frame) frame.Area {
		d := &desk{f, c, gate.NewSlots(uploadPlaces, gate.Patience, gate.Busy), gate.NewSlots(exportPlaces, gate.Patience, gate.Busy), newStreams()}
		return frame.Area{
			Name: "bulkdesk", Files: files, Words: lexicon,
			Links: []frame.Link{{Path: "/console/bulk", Place: 13, Needs: account.See, Label: func(l string) string { return lexicon.Of(l).Bulk }}},
			Routes: []frame.Route{
				{Pattern: "GET /console/bulk", Needs: account.See, Serve: d.list},
				{Pattern: "GET /console/bulk/new", Needs: account.Issue, Serve: d.newPage},
				{Pattern: "POST /console/bulk/new", Needs: account.Issue, MaxBody: maxUpload, Serve: d.order},
				{Pattern: "GET /console/bulk/columns.csv", Needs: account.Issue, Serve: d.columns},
				{Pattern: "GET /console/bulk/jobs/{id}", Needs: account.See, Serve: d.job},
				{Pattern: "GET /console/bulk/jobs/{id}/events", Needs: account.See, Stream: true, Serve: d.events},
				{Pattern: "GET /console/bulk/jobs/{id}/errors.csv", Needs: account.See, Serve: d.errorsFile},
				{Pattern: "GET /console/bulk/jobs/{id}/results.zip", Needs: account.See, Serve: d.resultsFile},
				{Pattern: "POST /console/bulk/jobs/{id}/proceed", Needs: account.Issue, Serve: d.proceed},
				{Pattern: "POST /console/bulk/jobs/{id}/cancel", Needs: account.Issue, Serve: d.change(bulk.Cancel, "cancelled")},
				{Pattern: "POST /console/bulk/jobs/{id}/retry", Needs: account.Issue, Serve: d.change(bulk.Retry, "retried")},
			},
		}
	}
}

// jobPath returns the path of a job's screen.
func jobPath(id string) string { return "/console/bulk/jobs/" + id }
