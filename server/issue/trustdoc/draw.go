package trustdoc

import (
	"cmp"
	"errors"
	"time"

	"tcode/offline/geometry"
	"tcode/server/certificate"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/tenant"
)

// draw returns the certificate page of d, whose PDF the gateway makes.
func (s *Service) draw(id tenant.Identity, d Document, w work, issued time.Time) ([]byte, error) {
	c := certificate.Certificate{
		Language: id.Tenant.Language, Title: cmp.Or(w.Title, w.template.Name), Issuer: id.Tenant.Name, Recipient: w.RecipientName,
		Issued: issued, Expires: d.SignedExpiry, Reference: d.Reference.String(), Address: s.c.PageURL(d.Reference.String()), Test: d.Test,
	}
	values := map[string]string{}
	for _, v := range w.Fields {
		values[v.Key] = v.Value
	}
	for _, f := range w.template.Fields { // in the template's order
		if v := values[f.Key]; v != "" {
			c.Fields = append(c.Fields, certificate.Field{Key: f.Key, Label: cmp.Or(f.Label, f.Key), Value: v})
		}
	}
	pdf, err := certificate.Draw(c)
	if missing, ok := errors.AsType[*certificate.MissingError](err); ok {
		return nil, unshown(w, missing)
	}
	return pdf, err
}

// certificatePlace is the corner that a certificate page leaves empty.
func certificatePlace() *placement.Spec {
	module := 0.5
	safety := placement.DefaultScanSafety
	safety.MinModuleMM = &module
	return &placement.Spec{
		SafeMargins: &geometry.Margins{Top: 20, Right: 20, Bottom: 18, Left: 20}, ScanSafety: &safety, Link: placement.LinkQR,
	}
}

// unshown is the fault of a text with a character that the font lacks.
func unshown(w work, missing *certificate.MissingError) error {
	path := missing.Field
	switch path {
	case "recipientName", "issuerName":
	case "documentTitle":
		if w.Title == "" {
			path = "templateId" // whose name it is
		}
	default:
		path = "fields." + path
	}
	var p fault.Fields
	p.Add(path, "cannot be drawn on a page: %v", missing.Err)
	return p.Err()
}

// checkDrawn returns the fault of a document whose PDF the gateway cannot make.
func (s *Service) checkDrawn(id tenant.Identity, w work) error {
	if !w.GeneratePDF {
		return nil
	}
	if s.c.PageURL == nil {
		return fault.New(fault.Rejected, fault.CodeConfigurationMismatch, "a generated PDF shows the address of the page that checks it, and this gateway has no public address: its operator gives one with --public-url").
			WithField("generatePdf", "needs the gateway's public address")
	}
	_, err := s.draw(id, Document{}, w, s.now())
	return err
}
