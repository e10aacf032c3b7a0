package trustdoc_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/field"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/spool"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// A desk issues documents from one template.
type desk struct {
	*storetest.Bundle
	t        *testing.T
	id       tenant.Identity
	template trustdoc.Template
}

func newDesk(t *testing.T, e storetest.Engine) *desk {
	t.Helper()
	d := &desk{Bundle: storetest.NewOn(t, e), t: t}
	d.id = d.Tenant(t, "Acme University", "ACME01")
	d.template = d.newTemplate()
	return d
}

func (d *desk) newTemplate() trustdoc.Template {
	d.t.Helper()
	tpl, err := d.Trust.CreateTemplate(d.t.Context(), d.id, trustdoc.Spec{
		Name: "Diploma", DocumentTypeCode: "DIP", Description: "of the summer term",
		Fields: []field.Definition{
			{Key: "degree", Label: "Degree", Required: true},
			{Key: "grade", Type: field.Number},
			{Key: "born", Type: field.Date},
			{Key: "mail", Type: field.Email},
			{Key: "link", Type: field.URL},
		},
	}, nil, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return tpl
}

// issuance is a good one; change may change it.
func (d *desk) issuance(change ...func(*trustdoc.Issuance)) trustdoc.Issuance {
	r := trustdoc.Issuance{
		TemplateID: d.template.ID, RecipientName: "Ada Lovelace", Title: "Diploma of Ada Lovelace", RecipientEmail: "ada@example.org",
		Fields: []payload.Field{{Key: "degree", Value: "Mathematics"}, {Key: "grade", Value: "1.0"}},
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

func (d *desk) issue(change ...func(*trustdoc.Issuance)) trustdoc.Document {
	d.t.Helper()
	doc, err := d.Trust.Issue(d.t.Context(), d.id, d.issuance(change...))
	if err != nil {
		d.t.Fatal(err)
	}
	return doc
}

func (d *desk) get(id string) trustdoc.Document {
	d.t.Helper()
	doc, err := d.Trust.Get(d.t.Context(), d.id.Tenant.Reference, id)
	if err != nil {
		d.t.Fatal(err)
	}
	return doc
}

func (d *desk) act(id string, a trustdoc.Action) error {
	return d.Trust.Act(d.t.Context(), d.id, id, a, "because")
}

// key is the public key that signs.
func (d *desk) key() payload.PublicKey {
	d.t.Helper()
	signer, _, err := d.Tenants.Signer(d.t.Context(), d.id.Tenant.Reference)
	if err != nil {
		d.t.Fatal(err)
	}
	key, err := payload.KeyOf(signer.Public())
	if err != nil {
		d.t.Fatal(err)
	}
	return key
}

func titled(title string) func(*trustdoc.Issuance) {
	return func(r *trustdoc.Issuance) { r.Title, r.ExternalID = title, "id-"+title }
}

func stamped(r *trustdoc.Issuance) {
	r.Path, r.PDF = trustdoc.PathBoth, spool.Bytes([]byte("%PDF-1.7\n% "+r.Title+"\n%%EOF\n"))
}

func TestIssue(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		d := newDesk(t, e)
		expires := d.Clock.Now().AddDate(1, 0, 0)
		doc := d.issue(func(r *trustdoc.Issuance) { r.ExpiresAt = expires })
		if !strings.HasPrefix(doc.Reference.String(), "TRF-") || doc.Status != trustdoc.Active || doc.Path != trustdoc.PathDigital || doc.Stamp != nil {
			t.Errorf("issued %+v", doc)
		}
		got := d.get(doc.ID)
		if !got.Verify(d.key()) || got.Canonical != doc.Canonical || !got.ExpiresAt.Equal(expires) || got.RecipientEmail != "ada@example.org" || len(got.Values) != 2 {
			t.Errorf("stored %+v", got)
		}
		got.RecipientName = "Eve"
		if got.Verify(d.key()) {
			t.Error("a document with another recipient passes")
		}
	})
}

func TestIssueWithTCode(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.DefaultEngine())
	expires := d.Clock.Now().AddDate(1, 0, 0)
	doc := d.issue(stamped, func(r *trustdoc.Issuance) { r.ExpiresAt = expires })
	st, err := d.Stamps.Get(t.Context(), "ACME01", doc.Stamp.ID)
	if err != nil {
		t.Fatal(err)
	}
	p, err := payload.Parse(st.Payload)
	if err != nil {
		t.Fatal(err)
	}
	if !p.ExpiresAt.Equal(expires) || st.Document != doc.Reference.String() || st.Reference != doc.Stamp.Reference {
		t.Errorf("stamp %+v of document %s", st, doc.Reference)
	}
	if !d.get(doc.ID).Verify(d.key()) || !strings.Contains(doc.Canonical, st.Reference.String()) {
		t.Error("the signed text does not name the stamp")
	}
	for _, a := range []stamp.Action{stamp.ActionSuspend, stamp.ActionRevoke, stamp.ActionReactivate} {
		if err := d.Stamps.Act(t.Context(), d.id, st.ID, a, ""); fault.As(err).Code != fault.CodeConflict || fault.As(err).Reference != doc.Reference.String() {
			t.Errorf("%s of a stamp that belongs to a document: %v", a, err)
		}
	}
	if _, err := d.Stamps.Replace(t.Context(), d.id, st.ID, stamp.Replacement{PDF: spool.Bytes([]byte("%PDF-1.7\n"))}); fault.As(err).Code != fault.CodeConflict {
		t.Errorf("replacing it: %v", err)
	}
}

// One fault names every problem of a request, each with its code.
func TestRefusals(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.DefaultEngine())
	archived := d.newTemplate()
	if err := d.Trust.ActOnTemplate(t.Context(), d.id, archived.ID, nil, trustdoc.ActionArchive, "superseded"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*trustdoc.Issuance)
		code   string
		fields string
	}{
		{"no recipient", func(r *trustdoc.Issuance) { r.RecipientName = " " }, fault.CodeValidationFailed, "recipientName"},
		{"nothing to see", func(r *trustdoc.Issuance) { r.RecipientName, r.Title, r.ExternalID = "\u200b", " ", "\t" }, fault.CodeValidationFailed, "documentTitle externalId recipientName"},
		{"blank title of a stamp", func(r *trustdoc.Issuance) { stamped(r); r.Title = " " }, fault.CodeValidationFailed, "documentTitle"},
		{"year 1", func(r *trustdoc.Issuance) { r.ExpiresAt = trustdoc.ExpiryOf(time.Time{}) }, fault.CodeValidationFailed, "expiresAt"},
		{"long recipient", func(r *trustdoc.Issuance) { r.RecipientName = strings.Repeat("ä", 301) }, fault.CodeValidationFailed, "recipientName"},
		{"mail", func(r *trustdoc.Issuance) { r.RecipientEmail = "Ada <ada@example.org>" }, fault.CodeValidationFailed, "recipientEmail"},
		{"past", func(r *trustdoc.Issuance) { r.ExpiresAt = d.Clock.Now() }, fault.CodeValidationFailed, "expiresAt"},
		{"far", func(r *trustdoc.Issuance) { r.ExpiresAt = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) }, fault.CodeValidationFailed, "expiresAt"},
		{"words", func(r *trustdoc.Issuance) { r.Path, r.ModeType = "paper", "live" }, fault.CodeValidationFailed, "issuancePath modeType"},
		{"no PDF", func(r *trustdoc.Issuance) { r.Path = trustdoc.PathTCode }, fault.CodeValidationFailed, "pdf"},
		{"template", func(r *trustdoc.Issuance) { r.TemplateID = "x" }, fault.CodeNotFound, "templateId"},
		{"archived", func(r *trustdoc.Issuance) { r.TemplateID = archived.ID }, fault.CodeTemplateArchived, "templateId"},
		{"missing", func(r *trustdoc.Issuance) { r.Fields = nil }, fault.CodeFieldSchemaMismatch, "fields"},
		{"all fields", func(r *trustdoc.Issuance) {
			r.Fields = []payload.Field{
				{Key: "degree", Value: ""}, {Key: "grade", Value: "good"}, {Key: "born", Value: "2026-02-30"}, {Key: "mail", Value: "@"}, {Key: "link", Value: "ftp://x"}, {Key: "x", Value: "1"}, {Key: "grade", Value: "1"},
			}
		}, fault.CodeFieldSchemaMismatch, "fields[0].value fields[1].value fields[2].value fields[3].value fields[4].value fields[5].key fields[6].key"},
	}
	for _, tt := range tests {
		_, err := d.Trust.Issue(t.Context(), d.id, d.issuance(tt.change))
		f := fault.As(err)
		if f == nil || f.Code != tt.code || fieldNames(f) != tt.fields {
			t.Errorf("%s: %v, want %s at %s", tt.name, err, tt.code, tt.fields)
		}
	}
}

// A document that waited until its time was over is not issued: its text would say
// that it ended when it began.
func TestLateIssue(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.DefaultEngine())
	slow := trustdoc.NewService(trustdoc.Config{
		Store: d.DB, Stamps: d.Stamps, Blobs: d.Blobs, Spool: d.Spool, Keys: d.Tenants, DocumentTypes: d.Ref, Placements: d.Placements, Stamper: storetest.Stamper{},
		Now: func() time.Time {
			now := d.Clock.Now()
			d.Clock.Add(time.Second)
			return now
		},
	})
	for name, form := range map[string]func(*trustdoc.Issuance){"digital": func(*trustdoc.Issuance) {}, "stamped": stamped} {
		_, err := slow.Issue(t.Context(), d.id, d.issuance(form, func(r *trustdoc.Issuance) { r.ExpiresAt = d.Clock.Now().Add(time.Second) }))
		if f := fault.As(err); f == nil || f.Code != fault.CodeValidationFailed || fieldNames(f) != "expiresAt" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestIssueCondemned: the file of a document was removed by a sweep before: it is put again as
// another copy, and a late removal of the first one does no harm. So it is with the files of a
// document with a TCode.
func TestIssueCondemned(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		d := newDesk(t, e)
		for _, path := range []trustdoc.Path{trustdoc.PathDigital, trustdoc.PathBoth} {
			pdf := []byte("%PDF-1.7\n% " + string(path) + "\n%%EOF\n")
			sum := sha256.Sum256(pdf)
			name := hex.EncodeToString(sum[:])
			if done, err := d.DB.Condemn(t.Context(), name, 0, d.Clock.Now()); !done || err != nil {
				t.Fatal(done, err)
			}
			doc := d.issue(titled(string(path)), func(r *trustdoc.Issuance) { r.Path, r.PDF = path, spool.Bytes(pdf) })
			if err := d.Blobs.Remove(t.Context(), name, 0); err != nil {
				t.Error(err)
			}
			for _, f := range d.get(doc.ID).Files {
				if _, err := d.Blobs.Get(t.Context(), f.SHA256); err != nil {
					t.Errorf("%s: %s: %v", path, f.Kind, err)
				}
			}
			if len(d.get(doc.ID).Files) == 0 || doc.OriginalSHA256 != name {
				t.Errorf("%s: %+v", path, doc.Files)
			}
		}
	})
}
