package records

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"unicode/utf8"

	"tcode/server/fault"
	"tcode/server/platform/spool"
)

// maxTexts is the size of all fields of a form with a file, in bytes, without the file.
const maxTexts = 256 << 10

// maxParts is the number of fields of a form with a file.
const maxParts = 300

// errForm means that a form is not one of ours.
var errForm = fault.New(fault.Invalid, fault.CodeValidationFailed, "this is no form with a file")

// upload is a form with a file.
type upload struct {
	url.Values
	pdf *spool.Upload // nil if no file was chosen
}

// Close releases the file.
func (u *upload) Close() { _ = u.pdf.Close() } // nothing to do about a file that does not close

// receive reads a form with a file. The file is in the spool, and not in memory.
func (d *desk) receive(r *http.Request) (u *upload, err error) {
	select {
	case d.uploads <- struct{}{}:
		defer func() { <-d.uploads }()
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "multipart/form-data" {
		return nil, errForm
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, errForm
	}
	u = &upload{Values: url.Values{}}
	defer func() {
		if err != nil {
			u.Close()
		}
	}()
	room := int64(maxTexts)
	for n := 0; ; n++ {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return u, nil
		}
		if err != nil {
			return u, formError(err)
		}
		if n == maxParts {
			return u, errForm
		}
		if part.FormName() == "pdf" {
			if err := d.take(u, part); err != nil {
				return u, err
			}
			continue
		}
		raw, err := io.ReadAll(io.LimitReader(part, room+1))
		if err != nil {
			return u, formError(err)
		}
		if room -= int64(len(raw)); room < 0 || !utf8.Valid(raw) {
			return u, errForm
		}
		u.Add(part.FormName(), string(raw))
	}
}

// take spools the file of a form.
func (d *desk) take(u *upload, part io.Reader) error {
	if u.pdf != nil {
		return errForm
	}
	out := d.c.Spool.Writer()
	defer out.Close() //nolint:errcheck // it has become an upload, or is of no use
	n, err := io.Copy(out, part)
	if err != nil {
		return formError(err)
	}
	if n == 0 { // no file was chosen
		return nil
	}
	u.pdf, err = out.Upload()
	return err
}

// formError returns an error of reading a form as its sender must know it.
func formError(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) || errors.Is(err, spool.ErrUnwritable) {
		return err
	}
	return errForm.WithErr(err)
}
