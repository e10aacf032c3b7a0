// Package records has the console's screens of stamps and of Trust documents. Both kinds
// have the same screens; a [kind] says in what they differ.
//
//	list ─▶ one: facts, timeline, chain, files ─▶ act: reason, typed confirmation ─▶ one
//	 │                                         └▶ replace: a form with a file ─▶ the successor
//	 ├─▶ choose: records by boxes or all that match, their number ─▶ order, done in steps
//	 └─▶ export.csv: all that match
//
// The filter of a list is in its address. An order about all that match keeps the moment
// at which its number was shown, and the sum of the records: it changes no
// record that was made later, and nothing if a record has changed meanwhile.
package records

import (
	"context"
	"embed"
	"net/http"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/issue"
	"tcode/server/issue/batch"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/spool"
	"tcode/server/refdata"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// Stamps has the stamps. Package stamp implements it.
type Stamps interface {
	// AllFiles returns the files of a stamp, also those that are not stored.
	AllFiles(st stamp.Stamp) []stamp.File
	List(ctx context.Context, tenantRef string, f stamp.Filter) (stamp.Page, error)
	Choose(ctx context.Context, tenantRef string, f stamp.Filter, a stamp.Action) (issue.Choice, error)
	Get(ctx context.Context, tenantRef, id string) (stamp.Stamp, error)
	Events(ctx context.Context, tenantRef, id string) ([]stamp.Event, error)
	Act(ctx context.Context, id tenant.Identity, stampID string, a stamp.Action, reason string) error
	Replace(ctx context.Context, id tenant.Identity, stampID string, r stamp.Replacement) (stamp.Stamp, error)
}

// Documents has the Trust documents and their templates. Package trustdoc implements it.
type Documents interface {
	List(ctx context.Context, tenantRef string, f trustdoc.Filter) (trustdoc.Page, error)
	Choose(ctx context.Context, tenantRef string, f trustdoc.Filter, a trustdoc.Action) (issue.Choice, error)
	Get(ctx context.Context, tenantRef, id string) (trustdoc.Document, error)
	Events(ctx context.Context, tenantRef, id string) ([]trustdoc.Event, error)
	Act(ctx context.Context, id tenant.Identity, documentID string, a trustdoc.Action, reason string) error
	Replace(ctx context.Context, id tenant.Identity, documentID string, r trustdoc.Replacement) (trustdoc.Document, error)
	Issue(ctx context.Context, id tenant.Identity, r trustdoc.Issuance) (trustdoc.Document, error)
	Resend(ctx context.Context, id tenant.Identity, documentID, email string) (trustdoc.Document, error)
	Template(ctx context.Context, tenantRef, id string) (trustdoc.Template, error)
	Templates(ctx context.Context, tenantRef string, f trustdoc.TemplateFilter) (trustdoc.TemplatePage, error)
}

// Orders does one action on many records. Package batch implements it.
type Orders interface {
	Begin(ctx context.Context, id tenant.Identity, o batch.Order) (batch.Batch, error)
	Get(ctx context.Context, tenantRef, id string) (batch.Batch, error)
	Recent(ctx context.Context, tenantRef string, of batch.Subject, limit int) ([]batch.Batch, error)
	Stop(ctx context.Context, id tenant.Identity, batchID string) error
}

// Verified has the scans and look-ups of records. Package verify implements it.
type Verified interface {
	Scans(ctx context.Context, v verify.Viewer, reference string, f verify.ScanFilter) (verify.ScanPage, error)
	Tallies(ctx context.Context, tenantRef string, kind verify.Kind, reference [10]byte) ([]verify.Tally, error)
}

// Types has the document types. Package refdata implements it.
type Types interface {
	DocumentTypes(ctx context.Context) ([]refdata.DocumentType, error)
}

// Templates has the TDoc templates. Package tdoc implements it.
type Templates interface {
	List(ctx context.Context, tenantRef string, archived bool) ([]tdoc.Template, error)
	OfStamp(ctx context.Context, tenantRef, id string) (tdoc.Template, error)
}

// Placements has the placement templates. Package placement implements it.
type Placements interface {
	List(ctx context.Context, tenantRef string) ([]placement.Template, error)
}

// People names the authors of changes. Packages account and tenant implement it.
type People interface {
	Users(ctx context.Context, tenantRef string) ([]account.User, error)
}

// Keys names the API keys that made changes. Package tenant implements it.
type Keys interface {
	Keys(ctx context.Context, tenantRef string) ([]tenant.APIKey, error)
}

// Config has the parts of the screens. All members are required.
type Config struct {
	Stamps     Stamps
	Documents  Documents
	Orders     Orders
	Verified   Verified
	Types      Types
	Templates  Templates
	Placements Placements
	People     People
	Keys       Keys
	Erasures   Erasures
	Log        Log
	Spool      *spool.Folder
	// FileURL returns the signed address of a tenant's file.
	FileURL func(tenantRef string, f stamp.File, expires time.Time) string
	MaxPDF  int64 // bytes
}

//go:embed assets templates
var files embed.FS

// desk has the screens.
type desk struct {
	*frame.Frame
	c       Config
	kinds   []kind
	uploads chan struct{} // a place for each upload at the same time
}

// uploadsAtOnce is the number of files that arrive through this area at the same time.
const uploadsAtOnce = 4

// New returns the maker of the area.
func New(c Config) func(*frame.Frame) frame.Area {
	return func(f *frame.Frame) frame.Area {
		d := &desk{Frame: f, c: c, uploads: make(chan struct{}, uploadsAtOnce)}
		d.kinds = []kind{stamps{c}, documents{c}}
		return d.area()
	}
}

func (d *desk) area() frame.Area {
	a := frame.Area{Name: "records", Files: files, Words: texts}
	labels := []func(string) string{
		func(l string) string { return texts.Of(l).Stamps },
		func(l string) string { return texts.Of(l).Documents },
	}
	body := d.c.MaxPDF + 1<<20
	for i, k := range d.kinds {
		at := k.about().Path
		a.Links = append(a.Links, frame.Link{Path: at, Place: 11 + i, Needs: account.See, Label: labels[i]})
		a.Routes = append(a.Routes,
			frame.Route{Pattern: "GET " + at, Needs: account.See, Serve: d.of(k, d.list)},
			frame.Route{Pattern: "GET " + at + "/export.csv", Needs: account.See, Serve: d.of(k, d.export)},
			frame.Route{Pattern: "GET " + at + "/choose", Needs: account.Issue, Serve: d.of(k, d.choosePage)},
			frame.Route{Pattern: "POST " + at + "/choose", Needs: account.Issue, MaxBody: 64 << 10, Serve: d.of(k, d.choose)},
			frame.Route{Pattern: "GET " + at + "/{id}", Needs: account.See, Serve: d.of(k, d.one)},
			frame.Route{Pattern: "GET " + at + "/{id}/act/{action}", Needs: account.Issue, Serve: d.of(k, d.actPage)},
			frame.Route{Pattern: "POST " + at + "/{id}/act/{action}", Needs: account.Issue, Serve: d.of(k, d.act)},
			frame.Route{Pattern: "GET " + at + "/{id}/replace", Needs: account.Issue, Serve: d.of(k, d.replacePage)},
			frame.Route{Pattern: "POST " + at + "/{id}/replace", Needs: account.Issue, MaxBody: body, Serve: d.of(k, d.replace)},
		)
	}
	a.Routes = append(a.Routes,
		frame.Route{Pattern: "GET /console/documents/new", Needs: account.Issue, Serve: d.issuePage},
		frame.Route{Pattern: "POST /console/documents/new", Needs: account.Issue, MaxBody: body, Serve: d.issue},
		frame.Route{Pattern: "POST /console/documents/{id}/mail", Needs: account.Issue, Serve: d.resend},
		frame.Route{Pattern: "GET /console/orders/{id}", Needs: account.See, Serve: d.order},
		frame.Route{Pattern: "POST /console/orders/{id}/stop", Needs: account.Issue, Serve: d.stop},
	)
	return a
}

// of binds a screen to a kind.
func (d *desk) of(k kind, serve func(http.ResponseWriter, *http.Request, account.Visit, kind)) func(http.ResponseWriter, *http.Request, account.Visit) {
	return func(w http.ResponseWriter, r *http.Request, v account.Visit) { serve(w, r, v, k) }
}
