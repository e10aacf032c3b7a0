package verify_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/server/issue/field"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/spool"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// issuer issues documents of one template.
type issuer struct {
	*storetest.Bundle
	t        *testing.T
	id       tenant.Identity
	template string
}

func newIssuer(t *testing.T, e storetest.Engine) issuer {
	t.Helper()
	b := storetest.NewOn(t, e)
	i := issuer{Bundle: b, t: t, id: b.Tenant(t, "Acme", "ACME01")}
	tpl, err := b.Trust.CreateTemplate(t.Context(), i.id, trustdoc.Spec{
		Name: "Diploma", DocumentTypeCode: "DIP", Fields: []field.Definition{{Key: "degree"}},
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	i.template = tpl.ID
	return i
}

func (i issuer) issue(name string, change ...func(*trustdoc.Issuance)) trustdoc.Document {
	i.t.Helper()
	r := trustdoc.Issuance{
		TemplateID: i.template, RecipientName: name, Title: "Diploma", Fields: []payload.Field{{Key: "degree", Value: "Mathematics"}},
		PDF: spool.Bytes([]byte("%PDF-1.7\n% the same file\n%%EOF\n")),
	}
	for _, c := range change {
		c(&r)
	}
	d, err := i.Trust.Issue(i.t.Context(), i.id, r)
	if err != nil {
		i.t.Fatal(err)
	}
	return d
}

// verdict looks a document up by reference and compares the result with the wanted one.
func (i issuer) verdict(ref string, want verify.Verdict, failed string) verify.DocumentResult {
	i.t.Helper()
	res, err := i.Verify.DocumentByReference(i.t.Context(), anyone, ref)
	if err != nil {
		i.t.Fatal(err)
	}
	var bad []string
	for _, c := range res.Checks {
		if c.Status != offline.Pass {
			bad = append(bad, c.Name+":"+c.Code)
		}
	}
	if got := strings.Join(bad, " "); res.Verdict != want || got != failed {
		i.t.Errorf("%s: %s with %q failed, want %s with %q", ref, res.Verdict, got, want, failed)
	}
	return res
}

func TestDocumentVerdicts(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		i := newIssuer(t, e)
		end := i.Clock.Now().Add(time.Hour)
		doc := i.issue("Ada", func(r *trustdoc.Issuance) { r.ExpiresAt, r.Path = end, trustdoc.PathBoth })
		ref := doc.Reference.String()
		act := func(a trustdoc.Action) {
			t.Helper()
			if err := i.Trust.Act(t.Context(), i.id, doc.ID, a, ""); err != nil {
				t.Fatal(err)
			}
		}
		res := i.verdict(ref, verify.Valid, "")
		if res.RecipientName != "Ada" || res.IssuerName != "Acme" || res.DocumentType.Names["en"] == "" || res.Fields != nil || res.OwnTenant || !res.ExpiresAt.Equal(end) {
			t.Errorf("result %+v", res)
		}
		i.verdict(strings.ToLower(strings.ReplaceAll(ref, "-", " ")), verify.Valid, "")
		i.verdict("TRF-0000000000000000", verify.NotFound, "")
		i.verdict(doc.Stamp.Reference.String(), verify.NotFound, "")
		act(trustdoc.ActionSuspend)
		i.verdict(ref, verify.Suspended, "status_entry:suspended")
		act(trustdoc.ActionReinstate)
		if err := i.Tenants.Suspend(t.Context(), "ACME01"); err != nil {
			t.Fatal(err)
		}
		i.verdict(ref, verify.Suspended, "issuer_active:issuer_suspended")
		if err := i.Tenants.Activate(t.Context(), "ACME01"); err != nil {
			t.Fatal(err)
		}
		i.Clock.Add(time.Hour)
		i.verdict(ref, verify.Expired, "not_expired:document_expired")
		i.stampSays(doc, verify.Revoked) // before the sweep, and after it
		if _, err := i.Trust.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		i.verdict(ref, verify.Expired, "not_expired:document_expired")
		i.stampSays(doc, verify.Revoked)
		other := i.issue("Grace")
		next, err := i.Trust.Replace(t.Context(), i.id, other.ID, trustdoc.Replacement{RecipientName: "Grace Hopper"})
		if err != nil {
			t.Fatal(err)
		}
		if res := i.verdict(other.Reference.String(), verify.Revoked, "status_entry:replaced"); res.ReplacedBy != next.Reference.String() {
			t.Errorf("replaced by %q", res.ReplacedBy)
		}
		if res := i.verdict(next.Reference.String(), verify.Valid, ""); res.Replaces != other.Reference.String() {
			t.Errorf("replaces %q", res.Replaces)
		}
		i.history(map[verify.Verdict]int{verify.Valid: 3, verify.Suspended: 2, verify.Expired: 2, verify.Revoked: 1})
	})
}

// stampSays looks up the stamp that a document owns: its words are the contract's four.
func (i issuer) stampSays(d trustdoc.Document, want verify.Verdict) {
	i.t.Helper()
	res, err := i.Verify.ByReference(i.t.Context(), anyone, d.Stamp.Reference.String())
	if err != nil || res.Verdict != want || res.Document != d.Reference.String() {
		i.t.Errorf("stamp: %+v, %v", res, err)
	}
}

// history counts the tenant's history of documents, which includes no stamp.
func (i issuer) history(want map[verify.Verdict]int) {
	i.t.Helper()
	if err := i.Verify.Flush(i.t.Context()); err != nil {
		i.t.Fatal(err)
	}
	page, err := i.Verify.History(i.t.Context(), verify.Viewer{Tenant: "ACME01"}, verify.HistoryFilter{Kind: verify.OfDocument}, verify.Page{Size: 100})
	if err != nil {
		i.t.Fatal(err)
	}
	got := map[verify.Verdict]int{}
	for _, e := range page.Items {
		if e.Kind != verify.OfDocument {
			i.t.Errorf("%+v in the history of documents", e)
		}
		got[e.Verdict]++
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		i.t.Errorf("history %v, want %v", got, want)
	}
}

func TestDocumentByHash(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		i := newIssuer(t, e)
		first := i.issue("Ada", func(r *trustdoc.Issuance) { r.Path = trustdoc.PathTCode })
		i.Clock.Add(time.Second)
		second := i.issue("Grace", func(r *trustdoc.Issuance) { r.ExpiresAt = i.Clock.Now().Add(time.Hour) })
		sum := sha256.Sum256([]byte(first.Canonical))
		by := func(hash string, want trustdoc.Document, on verify.MatchedOn, n int) {
			t.Helper()
			res, err := i.Verify.DocumentByHash(t.Context(), anyone, hash)
			if err != nil || res.Reference != want.Reference || res.MatchedOn != on || res.MatchCount != n {
				t.Errorf("%s %d, want %s %d: %+v, %v", on, n, res.MatchedOn, res.MatchCount, res, err)
			}
		}
		by(hex.EncodeToString(sum[:]), first, verify.OnContent, 1)
		by(first.Stamp.SHA256, first, verify.OnStamped, 1)
		by(strings.ToUpper(first.OriginalSHA256), second, verify.OnOriginal, 2)
		i.Clock.Add(time.Hour) // the second has expired, so the first is the newest that counts
		by(first.OriginalSHA256, first, verify.OnOriginal, 2)
		for _, hash := range []string{"", "xyz", strings.Repeat("0", 64)} {
			if res, err := i.Verify.DocumentByHash(t.Context(), anyone, hash); err != nil || res.Verdict != verify.NotFound || res.Checks != nil {
				t.Errorf("%q: %+v, %v", hash, res, err)
			}
		}
	})
}

// TestTamperedDocument: a row that was changed directly in the database is not genuine any more.
func TestTamperedDocument(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, storetest.DefaultEngine())
	for change, failed := range map[string]string{
		`UPDATE documents SET recipient_name = 'Eve' WHERE id = $1`:                                                                                         "record:record_differs",
		`UPDATE document_fields SET value = 'Medicine' WHERE document_id = $1`:                                                                              "record:record_differs",
		`UPDATE documents SET signed_expires_at = 99999999999000 WHERE id = $1`:                                                                             "record:record_differs",
		`UPDATE documents SET canonical = replace(canonical, 'Tampered', 'Eve') WHERE id = $1`:                                                              "signature:signature_invalid record:record_differs",
		`UPDATE documents SET canonical = replace(canonical, 'Tampered', 'Eve'), recipient_name = replace(recipient_name, 'Tampered', 'Eve') WHERE id = $1`: "signature:signature_invalid",
	} {
		doc := i.issue("Tampered " + failed + change[len(change)-40:])
		i.verdict(doc.Reference.String(), verify.Valid, "")
		if _, err := storetest.Raw(t, i.Dir).Exec(change, doc.ID); err != nil {
			t.Fatal(err)
		}
		res := i.verdict(doc.Reference.String(), verify.NotFound, failed)
		if res.RecipientName != "" || !slices.Equal(res.Fields, nil) {
			t.Errorf("shows an unsigned text: %+v", res)
		}
	}
}

// TestDocumentOfOwn: the document's own tenant sees the values.
func TestDocumentOfOwn(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, storetest.DefaultEngine())
	doc := i.issue("Ada")
	res, err := i.Verify.DocumentByReference(t.Context(), verify.Viewer{Tenant: "ACME01"}, doc.Reference.String())
	if err != nil || len(res.Fields) != 1 || !res.OwnTenant {
		t.Errorf("%+v, %v", res, err)
	}
}
