package privacydesk

import (
	"context"
	"embed"
	"io"
	"net/http"
	"slices"

	"tcode/offline/payload"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/privacy"
	"tcode/server/tenant"
)

// Privacy keeps, erases and exports data. Package privacy implements it.
type Privacy interface {
	Retention(ctx context.Context, tenantRef string) (privacy.Settings, error)
	SetRetention(ctx context.Context, tenantRef string, by tenant.By, s privacy.Settings) error
	Swept(ctx context.Context, tenantRef string) (privacy.Swept, error)
	Erase(ctx context.Context, tenantRef string, by tenant.By, o privacy.Order) (privacy.Erasure, error)
	Erasure(ctx context.Context, tenantRef, id string) (privacy.Erasure, error)
	Export(ctx context.Context, tenantRef string, by tenant.By, w io.Writer) error
}

// Stamps has the stamps. Package stamp implements it.
type Stamps interface {
	// AllFiles returns the files of a stamp, also those that are not stored.
	AllFiles(st stamp.Stamp) []stamp.File
	Get(ctx context.Context, tenantRef, id string) (stamp.Stamp, error)
	IDOf(ctx context.Context, tenantRef string, ref payload.Reference) (string, error)
}

// Documents has the Trust documents. Package trustdoc implements it.
type Documents interface {
	Get(ctx context.Context, tenantRef, id string) (trustdoc.Document, error)
	IDOf(ctx context.Context, tenantRef string, ref trustdoc.Reference) (string, error)
}

// Log has the audit log. Package tenant implements it.
type Log interface {
	Audit(ctx context.Context, f tenant.AuditFilter) ([]tenant.Entry, error)
}

// People names the authors of changes. Package account implements it.
type People interface {
	Users(ctx context.Context, tenantRef string) ([]account.User, error)
}

// Config has the parts behind the screens. All are required.
type Config struct {
	Privacy   Privacy
	Stamps    Stamps
	Documents Documents
	Log       Log
	People    People
}

//go:embed assets templates
var files embed.FS

// desk has the screens.
type desk struct {
	*frame.Frame
	c       Config
	exports *gate.Slots
}

const (
	// home is the path of the first screen.
	home = "/console/privacy"
	// exportPlaces is the number of archives that are sent at the same time.
	exportPlaces = 4
	// recent is the number of erasures and of exports that the first screen lists.
	recent = 10
)

// New returns the maker of the area.
func New(c Config) func(*frame.Frame) frame.Area {
	return func(f *frame.Frame) frame.Area {
		d := &desk{f, c, gate.NewSlots(exportPlaces, gate.Patience, gate.Busy)}
		return frame.Area{
			Name: "privacydesk", Files: files, Words: words,
			Links: []frame.Link{{Path: home, Place: 34, Needs: account.See, Label: func(l string) string { return words.Of(l).Privacy }}},
			Routes: []frame.Route{
				{Pattern: "GET " + home, Needs: account.See, Serve: d.privacy},
				{Pattern: "POST " + home + "/retention", Needs: account.Manage, Serve: d.retention},
				{Pattern: "POST " + home + "/export", Needs: account.Manage, Serve: d.export},
				{Pattern: "GET " + home + "/erase", Needs: account.Manage, Serve: d.find},
				{Pattern: "GET " + home + "/erase/{subject}/{id}", Needs: account.Manage, Serve: d.erasePage},
				{Pattern: "POST " + home + "/erase/{subject}/{id}", Needs: account.Manage, Serve: d.erase},
			},
		}
	}
}

// page returns a page with the words of this package and the data of its screen.
func (d *desk) page(r *http.Request, v account.Visit, data any) (*frame.Page, *texts) {
	p := d.Page(r, &v)
	w := words.In(p)
	p.W, p.D = w, data
	p.DoneBy(r, w.Done)
	return p, w
}

// view is the data of the first screen.
type view struct {
	May       bool // the user may change, erase and export
	Kinds     []kindRow
	SweptAt   string // "": no sweep has ended yet
	Wrong     bool   // times were refused
	Reference string // to erase, as it was typed
	NoRecord  string // why there is nothing to erase
	Erasures  []erasureRow
	Exports   []exportRow
}

// exportRow is an export that was begun.
type exportRow struct{ At, By string }

func (d *desk) privacy(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d.draw(w, r, v, http.StatusOK, view{}, nil)
}

// draw draws the first screen with what is in x. typed are times that were refused.
func (d *desk) draw(w http.ResponseWriter, r *http.Request, v account.Visit, status int, x view, typed *form) {
	ctx, ref := r.Context(), v.Tenant.Reference
	set, err := d.c.Privacy.Retention(ctx, ref)
	var swept privacy.Swept
	if err == nil {
		swept, err = d.c.Privacy.Swept(ctx, ref)
	}
	x.May = v.May(account.Manage)
	if err == nil && x.May {
		err = d.past(ctx, ref, &x)
	}
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	p, t := d.page(r, v, nil)
	x.SweptAt = frame.Moment(swept.At)
	x.Kinds = rows(set, swept, typed, t)
	x.Wrong = typed != nil
	p.Title, p.D, p.Back = t.Privacy, x, home
	d.Draw(w, r, status, "privacydesk/privacy", p)
}

// past adds what was erased and exported.
func (d *desk) past(ctx context.Context, tenantRef string, x *view) error {
	names, err := d.names(ctx, tenantRef)
	if err != nil {
		return err
	}
	var erased []tenant.Entry
	for _, of := range []privacy.Subject{privacy.Stamp, privacy.Document} {
		some, err := d.c.Log.Audit(ctx, tenant.AuditFilter{Tenant: tenantRef, Action: privacy.ActionErase(of), Limit: recent})
		if err != nil {
			return err
		}
		erased = append(erased, some...)
	}
	slices.SortStableFunc(erased, func(a, b tenant.Entry) int { return b.At.Compare(a.At) })
	for _, e := range erased[:min(len(erased), recent)] {
		row, err := d.erasureRow(ctx, tenantRef, e, names)
		if err != nil {
			return err
		}
		x.Erasures = append(x.Erasures, row)
	}
	exports, err := d.c.Log.Audit(ctx, tenant.AuditFilter{Tenant: tenantRef, Action: privacy.ActionExport, Limit: recent})
	for _, e := range exports {
		x.Exports = append(x.Exports, exportRow{frame.Moment(e.At), named(names, e.By)})
	}
	return err
}

// names returns the names of the tenant's users by their ids.
func (d *desk) names(ctx context.Context, tenantRef string) (map[string]string, error) {
	users, err := d.c.People.Users(ctx, tenantRef)
	names := map[string]string{}
	for _, u := range users {
		names[u.ID] = u.Label()
	}
	return names, err
}

// named returns the name of an author, "" for a user who was removed; that of a key is its
// visible part.
func named(names map[string]string, by tenant.By) string {
	if by.Actor == tenant.ActorUser {
		return names[by.Name]
	}
	return by.Name
}

// export sends an archive of everything that the tenant has while it is made.
func (d *desk) export(w http.ResponseWriter, r *http.Request, v account.Visit) {
	ctx, ref := r.Context(), v.Tenant.Reference
	release, err := d.exports.Take(ctx, ref, 0)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	defer release()
	by := frame.Identity(r, v).By()
	d.File(w, r, "application/zip", ref+".zip", func(out io.Writer) error { return d.c.Privacy.Export(ctx, ref, by, out) })
}
