package stampdesk

import (
	"context"
	"embed"
	"io"
	"net/http"

	"tcode/offline/geometry"
	"tcode/scanner/readback"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/platform/draft"
	"tcode/server/platform/spool"
	"tcode/server/refdata"
	"tcode/server/tenant"
)

// Stamps stamps files. Package stamp implements it.
type Stamps interface {
	Pages(ctx context.Context, pdf *spool.Upload) ([]geometry.Size, error)
	Page(ctx context.Context, pdf *spool.Upload, page int) (readback.Picture, error)
	Preview(ctx context.Context, id tenant.Identity, r stamp.PreviewRequest) (stamp.Preview, error)
	Nearest(ctx context.Context, id tenant.Identity, r stamp.PreviewRequest) (placement.Spec, bool, error)
	Create(ctx context.Context, id tenant.Identity, r stamp.Request) (stamp.Stamp, error)
	Get(ctx context.Context, tenantRef, id string) (stamp.Stamp, error)
	File(ctx context.Context, tenantRef, id, kind string) (stamp.File, error)
}

// Placements has the placement templates. Package placement implements it.
type Placements interface {
	List(ctx context.Context, tenantRef string) ([]placement.Template, error)
	Get(ctx context.Context, tenantRef, id string) (placement.Template, error)
	Create(ctx context.Context, id tenant.Identity, spec placement.Spec, once *tenant.IdempotencyRecord, answer placement.Answer) (placement.Template, error)
	Update(ctx context.Context, id tenant.Identity, templateID string, versions []int64, spec placement.Spec) (placement.Template, error)
	Delete(ctx context.Context, id tenant.Identity, templateID string, versions []int64) error
}

// Templates has the TDoc templates. Package tdoc implements it.
type Templates interface {
	List(ctx context.Context, tenantRef string, archived bool) ([]tdoc.Template, error)
	Get(ctx context.Context, tenantRef, id string) (tdoc.Template, error)
}

// Types has the document types. Package refdata implements it.
type Types interface {
	DocumentTypes(ctx context.Context) ([]refdata.DocumentType, error)
}

// Files has the files of stamps. Package blob implements it.
type Files interface {
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
}

// Config has the parts of the screens. All are required.
type Config struct {
	Drafts     *draft.Folder
	Stamps     Stamps
	Placements Placements
	Templates  Templates
	Types      Types
	Files      Files
	Once       tenant.IdempotencyStore
	Spool      *spool.Folder
	MaxFile    int // bytes of an uploaded file
}

//go:embed templates assets
var files embed.FS

// desk has the screens.
type desk struct {
	*frame.Frame
	c Config
}

// The addresses of the screens.
const (
	stampPath     = "/console/stamp"
	placementPath = "/console/templates/placements"
)

// maxForm is the size of the editor's form in bytes: 50 fields of 500 characters, and the
// rest.
const maxForm = 256 << 10

// aroundFile is the size of the rest of a form with an uploaded file, in bytes.
const aroundFile = 64 << 10

// New returns the area of the screens.
func New(c Config) func(*frame.Frame) frame.Area {
	return func(f *frame.Frame) frame.Area {
		d := &desk{f, c}
		return frame.Area{
			Name: "stampdesk", Files: files, Words: lexicon,
			Links: []frame.Link{
				{Path: stampPath, Place: 10, Needs: account.Issue, Label: func(l string) string { return lexicon.Of(l).Stamp }},
				{Path: placementPath, Place: 20, Needs: account.See, Label: func(l string) string { return lexicon.Of(l).Placements }},
			},
			Routes: d.routes(),
		}
	}
}

type handler = func(http.ResponseWriter, *http.Request, account.Visit)

func (d *desk) routes() []frame.Route {
	upload := int64(d.c.MaxFile) + aroundFile
	routes := []frame.Route{
		{Pattern: "GET " + stampPath, Needs: account.Issue, Serve: d.begin},
		{Pattern: "POST " + stampPath, Needs: account.Issue, MaxBody: upload, Serve: d.upload(kindStamp)},
		{Pattern: "GET " + stampPath + "/{draft}/stamped", Needs: account.Issue, Serve: d.download},
		{Pattern: "GET " + placementPath, Needs: account.See, Serve: d.placements},
		{Pattern: "POST " + placementPath, Needs: account.Issue, Serve: d.newPlacement},
		{Pattern: "POST " + placementPath + "/{id}/edit", Needs: account.Issue, Serve: d.editPlacement},
		{Pattern: "GET " + placementPath + "/{id}/archive", Needs: account.Issue, Serve: d.archivePage},
		{Pattern: "POST " + placementPath + "/{id}/archive", Needs: account.Issue, Serve: d.archive},
	}
	for _, k := range []kind{kindStamp, kindPlacement} {
		at := k.path() + "/{draft}"
		routes = append(routes,
			frame.Route{Pattern: "GET " + at, Needs: account.Issue, Serve: d.on(k, d.show)},
			frame.Route{Pattern: "POST " + at, Needs: account.Issue, MaxBody: maxForm, Serve: d.on(k, d.change)},
			frame.Route{Pattern: "POST " + at + "/file", Needs: account.Issue, MaxBody: upload, Serve: d.upload(k)},
			frame.Route{Pattern: "GET " + at + "/page/{page}", Needs: account.Issue, Serve: d.on(k, d.page)},
		)
	}
	return routes
}
