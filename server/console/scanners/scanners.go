package scanners

import (
	"context"
	"embed"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tcode/offline/trust"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// Devices has the devices of tenants. Package verify implements it.
type Devices interface {
	TenantDevices(ctx context.Context, tenantRef string, f verify.TenantDeviceFilter, p verify.Page) (verify.TenantDevicePage, error)
	TenantDevice(ctx context.Context, tenantRef, scannerID string) (verify.TenantDevice, error)
	CountTenantDevices(ctx context.Context, tenantRef string) (verify.TenantDeviceCounts, error)
	TenantClockEvents(ctx context.Context, tenantRef, scannerID string) ([]verify.ClockEvent, error)
	NameTenantDevice(ctx context.Context, tenantRef, scannerID, name string) (verify.TenantDevice, error)
	RefuseTenantDevice(ctx context.Context, tenantRef, scannerID, reason string) (verify.TenantDevice, error)
	AcceptTenantDevice(ctx context.Context, tenantRef, scannerID string) (verify.TenantDevice, error)
}

// Config has the parts behind the screens. All but PublicURL are required.
type Config struct {
	Devices     Devices
	Fingerprint func() trust.Fingerprint // of the gateway's root
	// PublicURL is the gateway's address for scanners. Empty: that of each request.
	PublicURL string
}

//go:embed assets templates
var files embed.FS

// scanners has the screens of this package.
type scanners struct {
	*frame.Frame
	c Config
}

// New returns the maker of the area.
func New(c Config) func(*frame.Frame) frame.Area {
	return func(f *frame.Frame) frame.Area {
		a := &scanners{f, c}
		return frame.Area{
			Name: "scanners", Files: files, Words: words,
			Links: []frame.Link{{Path: "/console/scanners", Place: 30, Needs: account.See, Label: func(l string) string { return words.Of(l).Scanners }}},
			Routes: []frame.Route{
				{Pattern: "GET /console/scanners", Needs: account.See, Serve: a.list},
				{Pattern: "GET /console/scanners/enrolment", Needs: account.See, Serve: a.sheet},
				{Pattern: "GET /console/scanners/device/{id}", Needs: account.See, Serve: a.device},
				{Pattern: "POST /console/scanners/device/{id}/name", Needs: account.Integrate, Serve: a.name},
				{Pattern: "POST /console/scanners/device/{id}/refuse", Needs: account.Integrate, Serve: a.refuse},
				{Pattern: "POST /console/scanners/device/{id}/accept", Needs: account.Integrate, Serve: a.accept},
			},
		}
	}
}

// page returns a page with the words of this package and the data of its screen.
func (a *scanners) page(r *http.Request, v account.Visit, data any) (*frame.Page, *texts) {
	p := a.Page(r, &v)
	w := words.In(p)
	p.W, p.D = w, data
	p.DoneBy(r, w.Done)
	return p, w
}

// row is a device for people.
type row struct {
	verify.TenantDevice
	Freshness verify.Freshness
	Sync      string // time of its last batch
	Trust     string // time of its trust documents
	Age       string // of these
	Clock     string // its clock minus the gateway's
	WrongTime bool
	Wrong     bool // it has findings, or there seem to be two
}

// wrongClock is the difference from which a clock is marked.
const wrongClock = 2 * time.Minute

func (a *scanners) row(d verify.TenantDevice) row {
	now := a.Now()
	out := row{
		TenantDevice: d, Freshness: d.Freshness(now), Sync: frame.Moment(d.LastSync), Trust: frame.Moment(d.TrustAt()), Clock: "–",
		Wrong: d.Findings > 0 || d.Flag != "",
	}
	if at := d.TrustAt(); !at.IsZero() {
		out.Age = age(max(now.Sub(at), 0))
	}
	if d.SkewKnown {
		out.Clock = signed(d.Skew)
		out.WrongTime = d.Skew.Abs() > wrongClock
	}
	return out
}

// age returns a duration in its largest unit, which is the same in every language.
func age(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return strconv.Itoa(int(d.Hours()/24)) + " d"
	case d >= 2*time.Hour:
		return strconv.Itoa(int(d.Hours())) + " h"
	case d >= 2*time.Minute:
		return strconv.Itoa(int(d.Minutes())) + " min"
	}
	return strconv.Itoa(int(d.Seconds())) + " s"
}

// signed is [age] with a sign.
func signed(d time.Duration) string {
	if d < 0 {
		return "−" + age(-d)
	}
	return "+" + age(d)
}

// devicesPage is the number of devices on a page.
const devicesPage = 50

// listPage is the data of the list.
type listPage struct {
	Show         string // tab
	Tabs         []tab
	Rows         []row
	Newer, Older string // addresses of pages; "": none
	None         bool   // no device has scanned a stamp yet
}

// A tab selects devices.
type tab struct {
	Name string
	N    verify.DeviceCount
}

// filters are the tabs.
var filters = map[string]verify.TenantDeviceFilter{
	"": {}, "fresh": {Freshness: verify.Fresh}, "stale": {Freshness: verify.Stale}, "too_old": {Freshness: verify.TooOld}, "unknown": {Freshness: verify.Unknown}, "refused": {Refused: true}, "flagged": {Flagged: true},
}

func (a *scanners) list(w http.ResponseWriter, r *http.Request, v account.Visit) {
	q := r.URL.Query()
	d := listPage{Show: q.Get("show")}
	f, ok := filters[d.Show]
	if !ok {
		d.Show = ""
	}
	n, err := a.c.Devices.CountTenantDevices(r.Context(), v.Tenant.Reference)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	d.Tabs = []tab{{"", n.All}, {"fresh", n.Fresh}, {"stale", n.Stale}, {"too_old", n.TooOld}, {"unknown", n.Unknown}, {"flagged", n.Flagged}, {"refused", n.Refused}}
	d.None = n.All == 0
	number, _ := strconv.Atoi(q.Get("page"))
	number = min(max(number, 1), 1000)
	page, err := a.c.Devices.TenantDevices(r.Context(), v.Tenant.Reference, f, verify.Page{Number: number, Size: devicesPage})
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	for _, x := range page.Items {
		d.Rows = append(d.Rows, a.row(x))
	}
	at := func(n int) string {
		return "/console/scanners?" + url.Values{"show": {d.Show}, "page": {strconv.Itoa(n)}}.Encode()
	}
	if number > 1 {
		d.Newer = at(number - 1)
	}
	if len(d.Rows) == devicesPage && (number*devicesPage < page.TotalCount || page.TotalIsLowerBound) {
		d.Older = at(number + 1)
	}
	p, t := a.page(r, v, d)
	p.Title = t.Scanners
	a.Draw(w, r, http.StatusOK, "scanners/list", p)
}

// devicePage is the data of the screen of one device.
type devicePage struct {
	Device              row
	First, Last, Latest string // times of batches, and of its latest scan by its clock
	RefusedAt, Flagged  string
	Events              []eventRow
	May                 bool // the user may name and refuse
	Name, Reason        string
	Problem             frame.Problems
}

// eventRow is a correction of a device's clock.
type eventRow struct {
	verify.ClockEvent
	At, Was, Received string
}

func (a *scanners) device(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d, err := a.c.Devices.TenantDevice(r.Context(), v.Tenant.Reference, r.PathValue("id"))
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	a.devicePage(w, r, v, d, devicePage{Name: d.Name}, http.StatusOK)
}

func (a *scanners) devicePage(w http.ResponseWriter, r *http.Request, v account.Visit, x verify.TenantDevice, d devicePage, status int) {
	events, err := a.c.Devices.TenantClockEvents(r.Context(), v.Tenant.Reference, x.ScannerID)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	for _, e := range events {
		d.Events = append(d.Events, eventRow{e, frame.Moment(e.At), frame.Moment(e.Was), frame.Moment(e.ReceivedAt)})
	}
	d.Device, d.May = a.row(x), v.May(account.Integrate)
	d.First, d.Last, d.Latest = frame.Moment(x.FirstAt), frame.Moment(x.LastAt), frame.Moment(x.LastScan)
	d.RefusedAt, d.Flagged = frame.Moment(x.RefusedAt), frame.Moment(x.FlaggedAt)
	p, _ := a.page(r, v, d)
	if p.Title = x.Name; p.Title == "" {
		p.Title = x.ScannerID
	}
	p.Back = "/console/scanners/device/" + x.ScannerID
	a.Draw(w, r, status, "scanners/device", p)
}

// change makes a change of the device of the path, and answers.
func (a *scanners) change(w http.ResponseWriter, r *http.Request, v account.Visit, d devicePage, done string, change func(context.Context, string, string) (verify.TenantDevice, error)) {
	id := r.PathValue("id")
	_, err := change(tenant.WithBy(r.Context(), frame.Identity(r, v).By()), v.Tenant.Reference, id)
	if err == nil {
		frame.Back(w, r, "/console/scanners/device/"+id, done)
		return
	}
	problem, status, ok := a.Refused(r, err)
	x, lost := a.c.Devices.TenantDevice(r.Context(), v.Tenant.Reference, id)
	switch {
	case !ok:
		a.Failed(w, r, err)
		return
	case lost != nil:
		a.Failed(w, r, lost)
		return
	}
	d.Problem = problem
	a.devicePage(w, r, v, x, d, status)
}

func (a *scanners) name(w http.ResponseWriter, r *http.Request, v account.Visit) {
	name := strings.TrimSpace(r.PostFormValue("name"))
	a.change(w, r, v, devicePage{Name: name}, "named", func(ctx context.Context, ref, id string) (verify.TenantDevice, error) {
		return a.c.Devices.NameTenantDevice(ctx, ref, id, name)
	})
}

func (a *scanners) refuse(w http.ResponseWriter, r *http.Request, v account.Visit) {
	reason := strings.TrimSpace(r.PostFormValue("reason"))
	a.change(w, r, v, devicePage{Reason: reason}, "refused", func(ctx context.Context, ref, id string) (verify.TenantDevice, error) {
		return a.c.Devices.RefuseTenantDevice(ctx, ref, id, reason)
	})
}

func (a *scanners) accept(w http.ResponseWriter, r *http.Request, v account.Visit) {
	a.change(w, r, v, devicePage{}, "accepted", a.c.Devices.AcceptTenantDevice)
}

// sheetPage is the data of the enrolment sheet.
type sheetPage struct {
	Gateway     string
	QR, Symbol  frame.Drawing
	Fingerprint []string // groups of four
	Link, Code  string
}

// sheet draws the sheet that enrols devices. It has an address only if scanners can use it.
func (a *scanners) sheet(w http.ResponseWriter, r *http.Request, v account.Visit) {
	base := a.c.PublicURL
	if base == "" {
		scheme := "http://"
		if a.Secure(r) {
			scheme = "https://"
		}
		base = scheme + r.Host
	}
	root := a.c.Fingerprint()
	d := sheetPage{}
	var err error
	if d.Gateway, err = wire.BaseURL(base); err == nil {
		if d.Code, err = wire.EnrolmentCode(d.Gateway, root); err == nil {
			d.Link, err = wire.EnrolmentLink(d.Gateway, root)
		}
	}
	if err == nil {
		if d.QR, err = frame.QR(d.Link); err == nil {
			d.Symbol, err = frame.DataMatrix(d.Code)
		}
	}
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	for text := root.String(); text != ""; text = text[4:] {
		d.Fingerprint = append(d.Fingerprint, text[:4])
	}
	p, t := a.page(r, v, d)
	p.Title = t.Sheet
	a.Draw(w, r, http.StatusOK, "scanners/sheet", p)
}
