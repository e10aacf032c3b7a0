package stampdesk

import (
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"tcode/offline/geometry"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/placement"
)

// maxName is the longest name of a file that is kept, in bytes.
const maxName = 200

// begin shows the screen without a file.
func (d *desk) begin(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d.drop(w, r, v, http.StatusOK, kindStamp, nil)
}

// drop draws the screen that takes a file, with the reason why another one was refused.
func (d *desk) drop(w http.ResponseWriter, r *http.Request, v account.Visit, status int, k kind, refused error) {
	p := d.Page(r, &v)
	t := lexicon.In(p)
	p.W, p.Title, p.Scripts = t, t.Stamp, d.Scripts("stampdesk/drop.js")
	view := &dropView{To: k.path(), MaxMiB: d.c.MaxFile >> 20}
	if k == kindPlacement {
		p.Title = t.Placements
	}
	if refused != nil {
		p.Wrong = t.problem(refused)
		view.Detail = frame.Say(t.Language, fault.As(refused).Said())
	}
	for _, one := range d.c.Drafts.List(owner(v)) {
		var s state
		if json.Unmarshal(one.State, &s) == nil && s.Kind == k && s.Stamp == "" {
			view.Open = append(view.Open, openDraft{k.path() + "/" + one.ID, one.Name, frame.Moment(one.Ends)})
		}
	}
	p.D = view
	d.Draw(w, r, status, "stampdesk/drop", p)
}

// dropView is the data of the screen without a file.
type dropView struct {
	To     string // address of the form
	MaxMiB int
	Detail frame.Sentences // of a refusal
	Open   []openDraft
}

type openDraft struct{ Path, Name, Until string }

// upload takes a file and makes a draft of it. With the path of a draft, the new one takes
// its settings, and the old one ends unless it was stamped.
func (d *desk) upload(k kind) handler {
	return func(w http.ResponseWriter, r *http.Request, v account.Visit) {
		old, err := d.old(r, v, k)
		if err != nil {
			d.gone(w, r, err)
			return
		}
		s, err := d.receive(r, v, k, old)
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			d.drop(w, r, v, http.StatusRequestEntityTooLarge, k, err)
		case err != nil && fault.As(err).Kind == fault.Internal || fault.Is(err, fault.Unavailable):
			d.Failed(w, r, err)
		case err != nil:
			d.drop(w, r, v, http.StatusUnprocessableEntity, k, err)
		default:
			if old != nil && !old.Spent {
				d.c.Drafts.Drop(old.owner, old.ID)
			}
			http.Redirect(w, r, s.base(), http.StatusSeeOther)
		}
	}
}

// old returns the draft whose settings a new one takes, or nil.
func (d *desk) old(r *http.Request, v account.Visit, k kind) (*sheet, error) {
	id := r.PathValue("draft")
	if id == "" {
		return nil, nil
	}
	s, err := d.sheet(v, id)
	if err == nil && s.Kind != k {
		err = fault.New(fault.NotFound, fault.CodeNotFound, "this draft is of another kind")
	}
	return s, err
}

// receive stores the file of a form as a draft.
func (d *desk) receive(r *http.Request, v account.Visit, k kind, old *sheet) (*sheet, error) {
	part, err := filePart(r)
	if err != nil {
		return nil, err
	}
	defer part.Close()
	s := &sheet{owner: owner(v), state: state{Kind: k}, form: form{v: url.Values{}}}
	if old != nil {
		s.form, s.Version = old.form.copied(), old.Version
		if k == kindPlacement || !old.Spent { // the same document, in another file
			s.form.v = old.form.v
		}
	}
	return s, d.keep(r, s, fileName(part.FileName()), part, old == nil)
}

// keep stores file as the draft of s, and its first state.
func (d *desk) keep(r *http.Request, s *sheet, name string, file io.Reader, fresh bool) (err error) {
	if s.Draft, err = d.c.Drafts.Put(s.owner, name, file); err != nil {
		return err
	}
	if err = d.measure(r, s, fresh); err != nil {
		d.c.Drafts.Drop(s.owner, s.ID)
	}
	return err
}

// measure looks up the pages of the draft, and stores its state.
func (d *desk) measure(r *http.Request, s *sheet, fresh bool) error {
	if s.Size == 0 {
		return errNoFile()
	}
	file, err := d.file(s)
	if err != nil {
		return err
	}
	defer file.Close()
	if s.Pages, err = d.c.Stamps.Pages(r.Context(), file); err != nil {
		return err
	}
	s.form.pages = s.Pages
	if fresh {
		s.form.load(placement.Spec{PageScope: geometry.FirstPage})
	}
	s.form.v.Del(inPage)
	return d.save(s)
}

func errNoFile() error {
	return fault.New(fault.Invalid, fault.CodeInvalidPDF, "choose a file").WithField("file", "must not be empty")
}

// filePart returns the part of a form that has the file.
func filePart(r *http.Request) (*multipart.Part, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, errNoFile()
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, errNoFile()
		}
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, err
		}
		if err != nil {
			return nil, errNoFile()
		}
		if part.FormName() == "file" {
			return part, nil
		}
	}
}

// fileName returns the name of a file for people: the last part of a path, not too long.
func fileName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, "?"), `\`, "/"))
	for len(name) > maxName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name == "." || name == "/" {
		return "document.pdf"
	}
	return name
}
