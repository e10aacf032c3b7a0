package stampdesk

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/tenant"
)

// onceRoute is the route of the records that make one stamp of a draft.
const onceRoute = "POST " + stampPath

// once returns the record of the draft's one stamp.
func (s *sheet) once() tenant.IdempotencyRecord {
	return tenant.IdempotencyRecord{Tenant: s.owner.Tenant, Route: onceRoute, Key: s.ID, Digest: sha256.Sum256([]byte(s.ID))}
}

// stampAnswer is what the record keeps.
type stampAnswer struct {
	ID string `json:"id"`
}

// stamp stamps the draft. However often it is called, it makes one stamp of a draft.
func (d *desk) stamp(w http.ResponseWriter, r *http.Request, v account.Visit, s *sheet) {
	t := lexicon.In(d.Page(r, &v))
	if s.Kind != kindStamp {
		d.NotFound(w, r)
		return
	}
	id, err := d.stamped(r, s)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	if id == "" {
		var bad problems
		if id, bad, err = d.make(r, v, s, t); err != nil || len(bad) > 0 {
			d.notMade(w, r, v, s, bad, err, t)
			return
		}
	}
	s.Stamp = id
	if err := d.spend(s); err != nil && !fault.Is(err, fault.NotFound) {
		d.Log().WarnContext(r.Context(), "a stamped draft is left for the sweep", slog.Any("err", err))
	}
	http.Redirect(w, r, s.base(), http.StatusSeeOther)
}

// stamped returns the id of the stamp that was made of the draft, or "".
func (d *desk) stamped(r *http.Request, s *sheet) (string, error) {
	kept, ok, err := tenant.Answered(r.Context(), d.c.Once, s.once(), d.Now())
	if err != nil || !ok {
		return "", err
	}
	var a stampAnswer
	return a.ID, json.Unmarshal(kept.Body, &a)
}

// spend ends the file of a draft that is stamped. Its record keeps the settings for the next
// document.
func (d *desk) spend(s *sheet) error {
	s.Values = s.form.copied().v
	raw, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	return d.c.Drafts.Spend(s.owner, s.ID, raw)
}

// make makes the stamp, and returns its id or the problems of the form.
func (d *desk) make(r *http.Request, v account.Visit, s *sheet, t *words) (string, problems, error) {
	bad := problems{}
	all, err := d.templates(r.Context(), v.Tenant.Reference, s.form)
	if err != nil {
		return "", nil, err
	}
	q := s.request(all, bad, t)
	if len(bad) > 0 {
		return "", bad, nil
	}
	if q.PDF, err = d.file(s); err != nil {
		if id, again := d.stamped(r, s); again == nil && id != "" { // another click has spent the file
			return id, nil, nil
		}
		return "", nil, err
	}
	defer q.PDF.Close()
	record := s.once()
	q.Idempotency = &record
	q.Answer = func(st stamp.Stamp) (int, []byte, error) {
		body, err := json.Marshal(stampAnswer{st.ID})
		return http.StatusCreated, body, err
	}
	st, err := d.c.Stamps.Create(r.Context(), frame.Identity(r, v), q)
	if err == nil {
		return st.ID, nil, nil
	}
	if id, again := d.stamped(r, s); again == nil && id != "" { // the other click was faster
		return id, nil, nil
	}
	bad.take(t, fault.As(err), all)
	return "", bad, err
}

// notMade shows why there is no stamp.
func (d *desk) notMade(w http.ResponseWriter, r *http.Request, v account.Visit, s *sheet, bad problems, err error, t *words) {
	f := fault.As(err)
	switch {
	case f == nil:
		d.draw(w, r, v, s, http.StatusBadRequest, bad, t.NotStamped)
	case f.Kind == fault.Internal, f.Kind == fault.Unavailable, f.Kind == fault.NotFound && len(bad) == 0:
		d.gone(w, r, err)
	case f.Code == fault.CodeDuplicate:
		bad.add(inExternal, fmt.Sprintf(t.Duplicate, f.Reference))
		d.draw(w, r, v, s, http.StatusConflict, bad, t.NotStamped)
	default:
		wrong := t.NotStamped
		if f.Kind == fault.Forbidden || f.Kind == fault.Rejected {
			wrong += " " + t.problem(err)
		}
		d.draw(w, r, v, s, http.StatusBadRequest, bad, wrong)
	}
}

// doneView is the data of the screen after a stamp.
type doneView struct {
	Base, Reference, ID, File, Name string
	KiB                             int64
	Grade                           string
	Page, PagesText                 string
	Notes                           []string
	MaxMiB                          int
	Mailed                          bool
}

// done shows the stamp that was made.
func (d *desk) done(w http.ResponseWriter, r *http.Request, v account.Visit, s *sheet) {
	st, err := d.c.Stamps.Get(r.Context(), v.Tenant.Reference, s.Stamp)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	p := d.Page(r, &v)
	t := lexicon.In(p)
	view := &doneView{Base: s.base(), Reference: st.Reference.String(), ID: st.ID, File: stampedName(s.Name), Name: st.Name, Notes: st.Warnings, MaxMiB: d.c.MaxFile >> 20, Mailed: st.Delivery != nil}
	if st.Grade != nil {
		view.Grade = string(st.Grade.Letter)
	}
	view.PagesText = strings.Trim(strings.ReplaceAll(fmt.Sprint(st.Pages), " ", ", "), "[]")
	for _, f := range st.Files {
		if f.Kind == stamp.FileStamped {
			view.KiB = (f.SizeBytes + 1023) >> 10
		}
	}
	p.Title, p.W, p.D, p.Back, p.Scripts = t.Stamp, t, view, s.base(), d.Scripts("stampdesk/drop.js")
	d.Draw(w, r, http.StatusOK, "stampdesk/done", p)
}

// stampedName returns the name of a file once it is stamped.
func stampedName(name string) string {
	return strings.TrimSuffix(name, path.Ext(name)) + "-stamped.pdf"
}

// download sends the stamped file.
func (d *desk) download(w http.ResponseWriter, r *http.Request, v account.Visit) {
	s, err := d.sheet(v, r.PathValue("draft"))
	if err == nil && s.Stamp == "" {
		err = fault.New(fault.NotFound, fault.CodeNotFound, "this draft is not stamped")
	}
	if err != nil {
		d.gone(w, r, err)
		return
	}
	f, err := d.c.Stamps.File(r.Context(), v.Tenant.Reference, s.Stamp, string(stamp.FileStamped))
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	content, err := d.c.Files.Open(r.Context(), f.SHA256)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	defer content.Close() // only read from
	h := w.Header()
	h.Set("Content-Type", f.ContentType)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": stampedName(s.Name)}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'") // a customer's file on this origin
	http.ServeContent(w, r, "", time.Time{}, content)
}
