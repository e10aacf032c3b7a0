package trustdoc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"slices"
	"time"

	"github.com/google/uuid"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/issue/stamp"
	"tcode/server/outbound/delivery"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// maxAllocations limits the allocations of a document whose reference is taken.
const maxAllocations = 8

// work is an issuance with the data that its template adds.
type work struct {
	Issuance

	template Template
	replaces *Document // nil: none
	reason   string    // why it is replaced
	warning  string    // for the record of the document; "": none
}

// Issue issues a document. It is durable, row and files, when Issue returns it.
// Faults: VALIDATION_FAILED with all fields, INVALID_PDF,
// PAYLOAD_TOO_LARGE, NOT_FOUND for the template, TEMPLATE_ARCHIVED,
// FIELD_SCHEMA_MISMATCH, CONFIGURATION_MISMATCH, DUPLICATE with the existing
// reference, FORBIDDEN, and those of stamping.
func (s *Service) Issue(ctx context.Context, id tenant.Identity, r Issuance) (Document, error) {
	if err := s.validate(r); err != nil {
		return Document{}, err
	}
	t, err := s.Template(ctx, id.Tenant.Reference, r.TemplateID)
	if err != nil {
		return Document{}, blame(err, "templateId")
	}
	return s.make(ctx, id, work{Issuance: r, template: t})
}

// make does w.
func (s *Service) make(ctx context.Context, id tenant.Identity, w work) (Document, error) {
	w.Path = w.path()
	if err := s.fits(ctx, id, w); err != nil {
		return Document{}, err
	}
	d, err := s.allocate(id, w)
	if err != nil {
		return Document{}, err
	}
	if w.Path.Stamps() {
		return s.issueStamped(ctx, id, d, w)
	}
	if w.PDF.Size() > 0 {
		if err := s.keepPDF(ctx, &d, w.PDF); err != nil {
			return Document{}, err
		}
	}
	for range maxAllocations {
		var made Document
		err := issue.Named(ctx, func() (err error) {
			made, err = s.insert(ctx, id, d, New{}, w)
			return err
		}, func(copies map[string]int) error { return s.keepAgain(ctx, &d, w.PDF, copies) })
		if !errors.Is(err, stamp.ErrReferenceTaken) {
			return made, err
		}
		s.c.Log.InfoContext(ctx, "document allocated anew", slog.Any("err", err))
		if d.Reference, err = NewReference(s.c.Rand); err != nil {
			return Document{}, fmt.Errorf("allocate reference: %w", err)
		}
	}
	return Document{}, errBusy
}

var errBusy = fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "too many documents at once, try again")

// path returns the path of r with its default.
func (r Issuance) path() Path {
	if r.GeneratePDF {
		return cmp.Or(r.Path, PathBoth)
	}
	return cmp.Or(r.Path, PathDigital)
}

// fits returns the fault that would refuse w, before the work; the transaction
// decides.
func (s *Service) fits(ctx context.Context, id tenant.Identity, w work) error {
	if err := w.template.Issuable(); err != nil {
		return err
	}
	if err := w.template.CheckValues(w.Fields); err != nil {
		return err
	}
	if err := s.checkDrawn(id, w); err != nil {
		return err
	}
	problem, err := s.c.DocumentTypes.CodeProblem(ctx, w.template.DocumentTypeCode)
	if err != nil {
		return err
	}
	if problem.Key != "" {
		return fault.New(fault.Rejected, fault.CodeConfigurationMismatch, "the document type %s of this template is not in use any more", w.template.DocumentTypeCode).
			WithField("templateId", "names a template whose document type was retired")
	}
	if err := s.c.Store.Admit(ctx, id.Tenant.Reference, tenant.KindDocuments.Of(w.test(id)), 1, s.c.Now()); err != nil {
		return err
	}
	return s.lookForDuplicate(ctx, id, w)
}

// allocate makes a document's identity and its statement.
func (s *Service) allocate(id tenant.Identity, w work) (Document, error) {
	ref, err := NewReference(s.c.Rand)
	if err != nil {
		return Document{}, fmt.Errorf("allocate reference: %w", err)
	}
	uid, err := uuid.NewV7()
	if err != nil {
		return Document{}, fmt.Errorf("allocate document id: %w", err)
	}
	now := s.now()
	expires := w.ExpiresAt.UTC().Truncate(time.Second)
	if w.ExpiresAt.IsZero() {
		expires = time.Time{}
	}
	d := Document{
		ID: uid.String(), Tenant: id.Tenant.Reference, Reference: ref, Status: Active, DocumentType: w.template.DocumentTypeCode,
		TemplateID: w.template.ID, TemplateVersion: w.template.Version,
		RecipientName: w.RecipientName, RecipientEmail: w.RecipientEmail, Title: w.Title, ExternalID: w.ExternalID, Path: w.Path,
		Test: w.test(id), Values: slices.Clone(w.Fields), SignedExpiry: expires, ExpiresAt: expires,
		IssuedAt: now.Truncate(time.Second), CreatedAt: now, UpdatedAt: now,
	}
	if w.replaces != nil {
		d.Replaces = w.replaces.Reference.String()
	}
	if w.warning != "" {
		d.Warnings = append(d.Warnings, w.warning)
	}
	return d, nil
}

// test reports whether w makes a test document.
func (w work) test(id tenant.Identity) bool { return id.Test || w.ModeType == stamp.ModeTest }

// errReads ends the stamping of a PDF that is only to be read.
var errReads = errors.New("the PDF can be read")

// symbolSide is a symbol's usual side, in modules: where it would go does not
// matter, whether the file can be read does.
const symbolSide = 40

// keepPDF checks and stores a PDF that gets no TCode.
func (s *Service) keepPDF(ctx context.Context, d *Document, upload *spool.Upload) error {
	kind, err := stamp.Kind(upload)
	if err != nil {
		return err
	}
	pdf, err := upload.File(s.c.Spool)
	if err != nil {
		return err
	}
	if kind != spool.PDF {
		if err := s.c.Pictures.Make(ctx, pdf.Section(), io.Discard); err != nil {
			return err
		}
		return s.keep(ctx, d, pdf, kind)
	}
	_, err = s.c.Stamper.Stamp(ctx, stamp.Job{
		PDF: pdf.Section(), Reference: payload.Reference(d.Reference), Side: symbolSide,
		Seal: func([16]byte) (string, error) { return "", errReads },
	})
	if !errors.Is(err, errReads) && !fault.Is(err, fault.Rejected) { // a file that must not be changed can still be read
		return cmp.Or(err, errUnread)
	}
	return s.keep(ctx, d, pdf, kind)
}

// keep stores the file of a document as it was sent.
func (s *Service) keep(ctx context.Context, d *Document, pdf *spool.File, kind spool.Kind) error {
	if err := s.c.Blobs.PutNamed(ctx, pdf.SHA256(), pdf.Section()); err != nil {
		return err
	}
	d.OriginalSHA256 = pdf.SHA256()
	d.Files = []stamp.File{originalFile(d.Reference, pdf.SHA256(), pdf.Size(), kind.ContentType, kind.Extension)}
	return nil
}

// keepAgain stores the file of a document that a sweep condemned, as another copy.
func (s *Service) keepAgain(ctx context.Context, d *Document, upload *spool.Upload, copies map[string]int) error {
	copy, ok := copies[d.OriginalSHA256]
	if !ok || len(d.Files) != 1 {
		return nil
	}
	pdf, err := upload.File(s.c.Spool)
	if err != nil {
		return err
	}
	d.Files[0].Copy = copy
	return s.c.Blobs.PutCopy(ctx, pdf.SHA256(), copy, pdf.Section())
}

var errUnread = errors.New("the stamper took a file without reading it")

func originalFile(ref Reference, sum string, size int64, contentType, extension string) stamp.File {
	return stamp.File{
		Kind: stamp.FileOriginal, SHA256: sum, SizeBytes: size, ContentType: contentType, FileName: ref.String() + "-original" + extension,
	}
}

// issueStamped has the PDF stamped and commits stamp and document together.
func (s *Service) issueStamped(ctx context.Context, id tenant.Identity, d Document, w work) (Document, error) {
	r := stamp.Request{
		Name: stampName(w), DocumentTypeCode: d.DocumentType, PDF: w.PDF, PlacementTemplateID: w.template.PlacementTemplateID, ModeType: w.ModeType,
	}
	if w.GeneratePDF {
		r.Placement = certificatePlace()
		r.Draw = func(st stamp.Stamp) ([]byte, error) { return s.draw(id, d, w, st.IssuedAt) }
	}
	o := stamp.Owner{Document: d.Reference.String(), ExpiresAt: d.SignedExpiry}
	if w.replaces != nil && w.replaces.Stamp != nil {
		o.Replaces = w.replaces.Stamp.Reference.String()
	}
	var made Document
	o.Insert = func(ctx context.Context, st stamp.Stamp, first stamp.Event) (err error) {
		own := d
		own.Stamp = &Stamp{ID: st.ID, Reference: st.Reference, SHA256: st.StampedSHA256}
		own.OriginalSHA256, own.Warnings, own.Test = st.OriginalSHA256, st.Warnings, st.Test
		own.IssuedAt, own.CreatedAt, own.UpdatedAt = st.IssuedAt, st.CreatedAt, st.UpdatedAt
		own.Files = documentFiles(own.Reference, st)
		made, err = s.insert(ctx, id, own, New{Stamp: &st, StampFirst: first}, w)
		return err
	}
	_, err := s.c.Stamps.CreateOwned(ctx, id, r, o)
	if err != nil && !d.SignedExpiry.IsZero() && !ends(d.SignedExpiry, s.now()) {
		return made, errOver() // which a payload cannot say either
	}
	return made, err
}

// stampName is the stamp's display name.
func stampName(w work) string {
	name := []rune(cmp.Or(w.Title, w.template.Name))
	return string(name[:min(len(name), stamp.MaxName)])
}

// documentFiles are the PDFs of a stamp under the document's own name.
func documentFiles(ref Reference, st stamp.Stamp) (out []stamp.File) {
	for _, f := range st.Files {
		switch f.Kind {
		case stamp.FileStamped:
			f.FileName = ref.String() + ".pdf"
		case stamp.FileOriginal:
			put := f.Copy
			f = originalFile(ref, f.SHA256, f.SizeBytes, f.ContentType, path.Ext(f.FileName))
			f.Copy = put
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}

// insert signs a document and commits it with the contents of n and with the end of
// the document it replaces. It wakes the publisher if the status list changed.
func (s *Service) insert(ctx context.Context, id tenant.Identity, d Document, n New, w work) (Document, error) {
	if !d.SignedExpiry.IsZero() && !ends(d.SignedExpiry, d.IssuedAt) {
		return Document{}, errOver()
	}
	signer, seq, err := s.c.Keys.Signer(ctx, d.Tenant)
	if err != nil {
		return Document{}, err
	}
	key, err := payload.KeyOf(signer.Public())
	if err != nil {
		return Document{}, fmt.Errorf("signing key of %s: %w", d.Tenant, err)
	}
	d.KeySeq, d.Algorithm = seq, key.Algorithm()
	d.Canonical = d.Statement().Text()
	if d.Signature, err = SignText(d.Canonical, signer); err != nil {
		return Document{}, fmt.Errorf("sign document: %w", err)
	}
	n.Document = d
	n.First = Event{To: Active, Action: ActionIssue, By: id.Author(), At: d.CreatedAt}
	n.Audit = id.Entry("document.issue", d.ID, d.CreatedAt).With("reference", d.Reference.String())
	if w.replaces != nil {
		n.Replaces = w.replaces.ID
		n.Replaced = Event{Action: ActionReplace, Reason: w.reason, By: id.Author(), At: d.CreatedAt}
		n.Audit = id.Entry("document.replace", w.replaces.ID, d.CreatedAt).With("by", d.ID).With("reference", d.Reference.String())
	}
	if d.RecipientEmail != "" {
		if d.Delivery, err = delivery.New(d.Tenant, d.ID, d.CreatedAt, s.c.Delivers); err != nil {
			return Document{}, fmt.Errorf("allocate message id: %w", err)
		}
		n.Document, n.Message = d, d.Delivery
	}
	var answer func() (int, []byte, error)
	if w.Answer != nil {
		answer = func() (int, []byte, error) { return w.Answer(d) }
	}
	if n.Idempotency, err = w.Idempotency.With(d.Tenant, d.CreatedAt, answer); err != nil {
		return Document{}, err
	}
	rolled, err := s.c.Store.InsertDocument(ctx, n)
	if err != nil {
		return Document{}, err
	}
	if rolled || w.replaces != nil && w.replaces.Stamp != nil {
		s.c.Notify()
	}
	return d, nil
}
