package stampdesk

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"tcode/offline/geometry"
	"tcode/server/account"
	"tcode/server/fault"
	"tcode/server/platform/draft"
	"tcode/server/platform/spool"
)

// A kind is the purpose of a draft.
type kind string

// The kinds.
const (
	kindStamp     kind = "stamp"     // it becomes a stamp
	kindPlacement kind = "placement" // a page to edit a placement template on
)

// path returns the address of the kind's screens.
func (k kind) path() string {
	if k == kindPlacement {
		return placementPath
	}
	return stampPath
}

// state is what a draft's record keeps for the screens.
type state struct {
	Kind    kind            `json:"kind"`
	Sample  bool            `json:"sample,omitempty"` // the file is our sample page
	Pages   []geometry.Size `json:"pages"`
	Values  url.Values      `json:"values"`            // of the form
	Stamp   string          `json:"stamp,omitempty"`   // id of the stamp that was made
	Version int64           `json:"version,omitempty"` // of the template that is edited, as it was loaded
}

// A sheet is a draft in use by a request.
type sheet struct {
	draft.Draft
	state
	owner draft.Owner
	form  form
}

// owner returns the owner of a visit's drafts.
func owner(v account.Visit) draft.Owner {
	return draft.Owner{Tenant: v.Tenant.Reference, User: v.User.ID, Session: v.ID}
}

// on serves a draft of a kind to its owner.
func (d *desk) on(k kind, serve func(http.ResponseWriter, *http.Request, account.Visit, *sheet)) handler {
	return func(w http.ResponseWriter, r *http.Request, v account.Visit) {
		s, err := d.sheet(v, r.PathValue("draft"))
		if err == nil && s.Kind != k {
			err = fault.New(fault.NotFound, fault.CodeNotFound, "this draft is of another kind")
		}
		if err != nil {
			d.gone(w, r, err)
			return
		}
		serve(w, r, v, s)
	}
}

// gone answers that a draft is not there, with the way to another one.
func (d *desk) gone(w http.ResponseWriter, r *http.Request, err error) {
	if !fault.Is(err, fault.NotFound) {
		d.Failed(w, r, err)
		return
	}
	d.Message(w, r, http.StatusNotFound, note(func(t *words) *pair { return &t.Gone }), false)
}

// sheet returns a draft of a visit.
func (d *desk) sheet(v account.Visit, id string) (*sheet, error) {
	s := &sheet{owner: owner(v)}
	var err error
	if s.Draft, err = d.c.Drafts.Get(s.owner, id); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(s.State, &s.state); err != nil {
		return nil, err
	}
	s.form = form{v: s.Values, pages: s.Pages}
	return s, nil
}

// base returns the address of the draft's editor.
func (s *sheet) base() string { return s.Kind.path() + "/" + s.ID }

// save stores the state of the draft.
func (d *desk) save(s *sheet) error {
	s.Values = s.form.v
	raw, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	return d.c.Drafts.Save(s.owner, s.ID, raw)
}

// file returns the bytes of the draft. The caller closes them.
func (d *desk) file(s *sheet) (*spool.Upload, error) {
	r, err := d.c.Drafts.Read(s.owner, s.ID)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	w := d.c.Spool.Writer()
	if _, err := io.Copy(w, r); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	u, err := w.Upload()
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return u, nil
}

// page draws a page of the draft.
func (d *desk) page(w http.ResponseWriter, r *http.Request, _ account.Visit, s *sheet) {
	n, err := strconv.Atoi(r.PathValue("page"))
	if err != nil || n < 1 || n > len(s.Pages) {
		d.NotFound(w, r)
		return
	}
	file, err := d.file(s)
	if err != nil {
		d.gone(w, r, err)
		return
	}
	defer file.Close()
	p, err := d.c.Stamps.Page(r.Context(), file, n)
	switch {
	case fault.Is(err, fault.Rejected):
		http.Error(w, "this page cannot be drawn", http.StatusUnprocessableEntity)
		return
	case err != nil:
		d.Failed(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Content-Length", strconv.Itoa(len(p.PNG)))
	_, _ = w.Write(p.PNG)
}
