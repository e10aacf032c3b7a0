package records

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/batch"
	"tcode/server/issue/stamp"
	"tcode/server/outbound/delivery"
	"tcode/server/refdata"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// linkFor is the time for which the address of a file works.
const linkFor = 15 * time.Minute

// oneView is the data of the screen of one record.
type oneView struct {
	Kind    about
	R       record
	Type    string // name of the document type
	Ends    []string
	Actions []string
	Replace bool
	Files   []fileLine
	Lines   []line
	Only    string // "", changes or scans
	Tallies []verify.Tally
	Tallied string          // their number
	Scans   string          // number of scans
	Public  string          // verdict on the public page
	By      string          // who made it
	Mails   bool            // its e-mail may be sent
	Email   string          // typed, or that of the record
	Wrong   frame.Sentences // about Email
	Erase   string          // path of the screen that erases it; "": none
	Erased  *erasedView
}

// fileLine is a file to download.
type fileLine struct {
	Kind, Name, URL string
	KB              int64
}

// line is an entry of the timeline.
type line struct {
	At     time.Time
	Action string // of the history; "" otherwise
	Reason string
	By     string
	Mail   *delivery.Message
	Scan   *verify.Scan
}

// Verdicts that screens show.
func verdictOf(offline string) string {
	switch v := verify.Verdict(offline); v {
	case verify.Valid, verify.Suspended, verify.Revoked, verify.Expired, verify.NotFound:
		return string(v)
	}
	return "unverified"
}

func (d *desk) one(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	d.drawOne(w, r, v, k, "", nil)
}

// resend sends the e-mail of a document again, or to another address.
func (d *desk) resend(w http.ResponseWriter, r *http.Request, v account.Visit) {
	id, email := r.PathValue("id"), strings.TrimSpace(r.PostFormValue("email"))
	_, err := d.c.Documents.Resend(r.Context(), frame.Identity(r, v), id, email)
	switch f := fault.As(err); {
	case err == nil:
		http.Redirect(w, r, "/console/documents/"+id+"?done=mailed", http.StatusSeeOther)
	case f.Kind == fault.Invalid && len(f.Fields["recipientEmail"]) > 0:
		d.drawOne(w, r, v, documents{d.c}, email, d.Page(r, nil).T.Said(f.Fields["recipientEmail"][0]))
	case f.Kind == fault.Conflict:
		http.Redirect(w, r, "/console/documents/"+id+"?done=already", http.StatusSeeOther)
	default:
		d.Failed(w, r, err)
	}
}

// drawOne draws the screen of a record; wrong says what is wrong with a typed e-mail address.
func (d *desk) drawOne(w http.ResponseWriter, r *http.Request, v account.Visit, k kind, email string, wrong frame.Sentences) {
	ctx, ref := r.Context(), v.Tenant.Reference
	rec, err := k.get(ctx, ref, r.PathValue("id"))
	if err == nil {
		err = k.(interface {
			details(context.Context, string, *record) error
		}).details(ctx, ref, &rec)
	}
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	view := oneView{
		Kind: k.about(), R: rec, Public: public(rec), Only: r.URL.Query().Get("show"), Email: cmp.Or(email, rec.Address), Wrong: wrong,
	}
	if err := d.fill(ctx, v, k, &view); err != nil {
		d.Failed(w, r, err)
		return
	}
	p, t := d.page(r, v)
	p.Title, p.D = rec.Reference, &view
	view.Type = d.typeName(ctx, rec.Type, p.T.Language)
	p.Done = t.Done[r.URL.Query().Get("done")]
	status := http.StatusOK
	if len(wrong) > 0 {
		status = http.StatusBadRequest
	}
	d.Draw(w, r, status, "records/one", p)
}

// fill adds data of other services: files, scans, look-ups, authors.
func (d *desk) fill(ctx context.Context, v account.Visit, k kind, view *oneView) (err error) {
	rec, ref := view.R, v.Tenant.Reference
	if v.May(account.Issue) {
		view.Actions = offers(k, stored(rec.Status), rec.Document != "")
		_, err := k.next(stored(rec.Status), string(stamp.ActionReplace))
		view.Replace = err == nil && rec.Document == ""
		view.Mails = k.about().Subject == batch.Documents && err == nil
	}
	for _, f := range rec.Files {
		view.Files = append(view.Files, fileLine{string(f.Kind), f.FileName, d.c.FileURL(ref, f, d.Now().Add(linkFor)), (f.SizeBytes + 1023) / 1024})
	}
	if view.Tallies, err = d.c.Verified.Tallies(ctx, ref, view.Kind.Verified, rec.Raw); err != nil {
		return err
	}
	n := 0
	for _, t := range view.Tallies {
		n += t.Count
	}
	view.Tallied = number(n, n >= verify.MostTallied)
	authors, err := d.authors(ctx, ref)
	if err != nil {
		return err
	}
	if err := d.erasure(ctx, v, view, authors); err != nil {
		return err
	}
	for _, e := range rec.Events {
		view.Lines = append(view.Lines, line{At: e.At, Action: e.Action, Reason: e.Reason, By: named(authors, e.By)})
	}
	if len(rec.Events) > 0 {
		view.By = named(authors, rec.Events[0].By)
	}
	if m := rec.Delivery; m != nil {
		view.Lines = append(view.Lines, line{At: cmp.Or(m.UpdatedAt, m.CreatedAt), Mail: m})
	}
	scanned := rec.Reference
	if rec.StampRef != "" {
		scanned = rec.StampRef
	}
	scans, err := d.c.Verified.Scans(ctx, verify.Viewer{Tenant: ref, Test: rec.Test}, scanned, verify.ScanFilter{PageSize: 50})
	if err != nil {
		return err
	}
	view.Scans = number(scans.TotalCount, scans.TotalIsLowerBound)
	for i := range scans.Items {
		s := &scans.Items[i]
		view.Lines = append(view.Lines, line{At: cmp.Or(s.ScannedAt, s.VerifiedAt), Scan: s})
	}
	view.Lines = slices.DeleteFunc(view.Lines, func(l line) bool {
		return view.Only == "scans" && l.Scan == nil || view.Only == "changes" && l.Action == ""
	})
	slices.SortStableFunc(view.Lines, func(a, b line) int { return b.At.Compare(a.At) })
	return nil
}

// public returns the verdict that the public page gives.
func public(rec record) string {
	switch {
	case rec.Test:
		return string(verify.NotFound)
	case rec.Status == "Active":
		return "compare"
	}
	return rec.Status
}

// Verdict returns the word for the verdict that counts.
func (l line) Verdict() string { return verdictOf(string(l.Scan.Verdict)) }

// Device returns the device's own verdict, and Gateway the gateway's.
func (l line) Device() string { return verdictOf(l.Scan.OfflineVerdict) }

// Gateway returns the verdict of the gateway.
func (l line) Gateway() string { return verdictOf(string(l.Scan.GatewayVerdict)) }

// Finding returns what is worth knowing of a scan, or "".
func (l line) Finding() wire.Finding { return l.Scan.Finding }

// authors returns the names of those who make changes, by [tenant.Identity.Author].
func (d *desk) authors(ctx context.Context, tenantRef string) (map[string]string, error) {
	out := map[string]string{}
	users, err := d.c.People.Users(ctx, tenantRef)
	if err != nil {
		return nil, err
	}
	for _, u := range users {
		out["user:"+u.ID] = u.Label()
	}
	keys, err := d.c.Keys.Keys(ctx, tenantRef)
	for _, key := range keys {
		out[key.Prefix] = key.Name
	}
	return out, err
}

// named returns the name of an author, "" for the gateway and its operator.
func named(authors map[string]string, by string) string {
	if strings.HasPrefix(by, "user:") && authors[by] == "" {
		return "–"
	}
	return cmp.Or(authors[by], by)
}

// typeName returns the name of a document type.
func (d *desk) typeName(ctx context.Context, code, language string) string {
	types, err := d.c.Types.DocumentTypes(ctx)
	if err != nil {
		return code
	}
	for _, t := range types {
		if t.Code == code {
			return refdata.DocumentType.Name(t, language)
		}
	}
	return code
}
