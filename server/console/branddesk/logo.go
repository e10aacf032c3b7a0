package branddesk

import (
	"errors"
	"io"
	"net/http"

	"tcode/offline/payload"
	"tcode/server/account"
	"tcode/server/brand"
	"tcode/server/httpapi/gate"
	"tcode/server/pages"
	"tcode/server/refdata"
	"tcode/server/verify"
)

// logo serves the stored logo.
func (d *desk) logo(w http.ResponseWriter, r *http.Request, v account.Visit) {
	l, err := d.c.Brands.Logo(r.Context(), v.Tenant.Reference, r.PathValue("hash"))
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	w.Header().Set("Content-Type", l.Type)
	_, _ = w.Write(l.Data)
}

// upload stores a logo.
func (d *desk) upload(w http.ResponseWriter, r *http.Request, v account.Visit) {
	r.Body = gate.PacedBody(w, r)
	file, err := fileOf(r)
	var l brand.Logo
	if err == nil {
		l, err = brand.NewLogo(file)
	}
	if err != nil {
		d.refuse(w, r, v, err, func(*brand.Brand) {})
		return
	}
	d.change(w, r, v, "logo", func(b *brand.Brand) { b.Logo = l })
}

func (d *desk) removeLogo(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d.change(w, r, v, "logoRemoved", func(b *brand.Brand) { b.Logo = brand.Logo{} })
}

// fileOf returns the file of a form, one byte more than a logo may have at most. It reads
// the form to its end.
func fileOf(r *http.Request) (file []byte, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, errForm(err)
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return file, nil
		}
		if err != nil {
			return nil, bodyError(err)
		}
		if part.FormName() == "file" && file == nil {
			if file, err = io.ReadAll(io.LimitReader(part, brand.MaxUpload+1)); err != nil {
				return nil, bodyError(err)
			}
		}
		if _, err := io.Copy(io.Discard, part); err != nil {
			return nil, bodyError(err)
		}
	}
}

// bodyError returns the error of a body that does not arrive or is no form.
func bodyError(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return err
	}
	return errForm(err)
}

// sample is the reference on the example. No stamp has it.
var sample, _ = payload.ParseReference("TCR-0000000000000000")

// example draws a public page of a test document that does not exist, as people would see
// it.
func (d *desk) example(w http.ResponseWriter, r *http.Request, v account.Visit) {
	b, err := d.c.Brands.Brand(r.Context(), v.Tenant.Reference)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	p, t := d.page(r, v, nil)
	about, now := pages.About{Brand: d.c.Page(v.Tenant.Reference, b)}, d.Now()
	if b.Names {
		about.Name = t.ExampleName
	}
	who := pages.ReaderOf(r)
	who.Choice = p.T.Language
	if err := d.c.Pages.About(about).Twin(w, who, verify.Result{
		Verdict: verify.Valid, Test: true, Reference: sample, IssuerReference: v.Tenant.Reference, IssuerName: v.Tenant.Name, IssuedAt: now, StatusAsOf: now,
		DocumentType: refdata.DocumentType{Code: "DIP", Names: map[string]string{"en": t.ExampleType, p.T.Language: t.ExampleType}}, KeyID: v.Tenant.Reference + "-1",
	}, now); err != nil {
		d.Failed(w, r, err)
	}
}
