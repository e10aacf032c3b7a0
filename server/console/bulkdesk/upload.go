package bulkdesk

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"time"

	"tcode/server/fault"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/bulk"
	"tcode/server/platform/spool"
)

// Limits of a form with files.
const (
	maxField  = 1000 // bytes
	maxFields = 40
	maxUpload = bulk.MaxCSV + bulk.MaxZIP + 64<<10
	// uploadTime is the limit of one upload, some bytes of which must arrive all the time.
	uploadTime = time.Hour
)

// fileLimits are the files of the form with their sizes in bytes.
var fileLimits = map[string]int64{"csv": bulk.MaxCSV, "zip": bulk.MaxZIP}

// An upload is a form with files as it arrived.
type upload struct {
	fields url.Values
	files  map[string]*spool.Scratch
	names  map[string]string // of the files, as the person has them
}

// drop deletes the files.
func (u *upload) drop() {
	for _, f := range u.files {
		_ = f.Close() // nothing is left of them in any case
	}
}

// errForm is the fault of a form that no browser sends.
func errForm(err error) error {
	return fault.New(fault.Invalid, fault.CodeValidationFailed, "the form is not valid").WithErr(err)
}

// read reads a form with files. The fields stand before the files: before is called with
// them ahead of the first file, and its error ends the work. The rest of the body is then
// read and dropped, because browsers read no answer before they have sent all.
func (d *desk) read(w http.ResponseWriter, r *http.Request, before func(url.Values) error) (*upload, error) {
	u := &upload{fields: url.Values{}, files: map[string]*spool.Scratch{}, names: map[string]string{}}
	ctx, cancel := context.WithTimeout(r.Context(), uploadTime)
	defer cancel()
	r.Body = gate.PacedBody(w, r)
	parts, err := r.MultipartReader()
	if err != nil {
		return u, errForm(err)
	}
	asked := false
	for n := 0; ; n++ {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return u, nil
		}
		switch name := formName(part); {
		case err != nil:
			return u, bodyError(err)
		case n == maxFields, ctx.Err() != nil:
			return u, errForm(ctx.Err())
		case fileLimits[name] == 0:
			err = u.readField(name, part)
		default:
			if !asked {
				asked, err = true, before(u.fields)
			}
			if err == nil {
				err = d.readFile(u, name, part)
			}
		}
		if err != nil {
			_, _ = io.Copy(io.Discard, r.Body)
			return u, err
		}
	}
}

func formName(p *multipart.Part) string {
	if p == nil {
		return ""
	}
	return p.FormName()
}

// bodyError returns the error of a body that does not arrive or is no form.
func bodyError(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return err
	}
	return errForm(err)
}

// readField reads a field that is no file. It is given at most once.
func (u *upload) readField(name string, part io.Reader) error {
	raw, err := io.ReadAll(io.LimitReader(part, maxField+1))
	switch {
	case err != nil:
		return bodyError(err)
	case len(raw) > maxField || slices.Contains([]string{"", "csv", "zip"}, name) || u.fields.Has(name):
		return errForm(nil)
	}
	u.fields.Set(name, string(raw))
	return nil
}

// readFile writes a file to the spool. A field without a file is left out.
func (d *desk) readFile(u *upload, name string, part *multipart.Part) error {
	if part.FileName() == "" {
		return nil
	}
	if u.files[name] != nil {
		return errForm(nil)
	}
	if err := d.c.Spool.Room(); err != nil {
		return err
	}
	f, err := d.c.Spool.Scratch()
	if err != nil {
		return err
	}
	u.files[name], u.names[name] = f, part.FileName()
	n, err := io.Copy(f, io.LimitReader(part, fileLimits[name]+1))
	switch {
	case err != nil && errors.Is(err, spool.ErrUnwritable):
		return err
	case err != nil:
		return bodyError(err)
	case n > fileLimits[name]:
		var p fault.Fields
		p.Add(name, "must be at most %d MiB", fileLimits[name]>>20)
		return p.Err()
	}
	return nil
}
