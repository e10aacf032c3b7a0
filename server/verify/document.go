package verify

import (
	"context"
	"strings"
	"time"

	"tcode/offline"
	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/server/issue/trustdoc"
	"tcode/server/refdata"
	"tcode/server/tenant"
)

// DocumentStore finds Trust documents, of any tenant. Package store implements
// it.
type DocumentStore interface {
	// DocumentByReference returns a NotFound fault if no tenant has the
	// document.
	DocumentByReference(ctx context.Context, ref trustdoc.Reference) (DocumentRecord, error)
	// DocumentByHash returns the document whose stamped PDF, original or
	// canonical text has the SHA-256: the newest that is Active as of now, else
	// the newest; and how many there are, of those that [Store.RecordByHash]
	// would look at. It is a NotFound fault if there is none.
	DocumentByHash(ctx context.Context, sha256 digest.SHA256, now time.Time) (DocumentRecord, MatchedOn, int, error)
}

// A DocumentRecord is the gateway's record of one Trust document: all data for a
// verdict.
type DocumentRecord struct {
	Document trustdoc.Document
	Key      payload.PublicKey // issuer's key with the document's key id
	Issuer   tenant.Tenant
	Kind     refdata.DocumentType
}

// A DocumentResult is the answer to one verification of a Trust document. Members below
// Checks, except Test, are zero when the verdict is not_found.
type DocumentResult struct {
	Verdict Verdict
	Checks  []offline.Check // none for an unknown reference or hash

	Status          trustdoc.Status
	Reference       trustdoc.Reference
	RecipientName   string
	Title           string
	IssuerReference string
	IssuerName      string
	IssuedAt        time.Time
	ExpiresAt       time.Time // zero: never
	DocumentType    refdata.DocumentType
	Fields          []payload.Field // shown to the document's tenant only
	OwnTenant       bool            // Fields are set
	Test            bool
	KeyID           string // of the key that signed it
	Stamp           string // reference of the stamp on its PDF, or ""
	ContentSHA256   string
	StatusAsOf      time.Time
	Replaces        string
	ReplacedBy      string
	ErasedAt        time.Time // when the issuer erased its personal data; zero: it did not

	MatchedOn  MatchedOn // by hash only
	MatchCount int
	Reason     string // as in [Result]
}

// DocumentByReference answers for the reference of a Trust document as a person types it.
// A malformed or unknown one gives the verdict not_found and no error.
func (s *Service) DocumentByReference(ctx context.Context, v Viewer, reference string) (res DocumentResult, err error) {
	defer func() { s.count(ByReference, res.Verdict, err) }()
	ref, err := trustdoc.ParseReference(strings.TrimSpace(reference))
	if err != nil {
		return DocumentResult{Verdict: NotFound}, nil
	}
	r, err := s.c.Store.DocumentByReference(ctx, ref)
	if err != nil {
		return DocumentResult{Verdict: NotFound}, unlessNotFound(err)
	}
	return s.answerDocument(ctx, v, r, ByReference), nil
}

// DocumentByHash answers for a content fingerprint, 64 hex digits: the SHA-256 of the
// document's canonical text, or of its PDF, stamped or original. A malformed or unknown
// one gives the verdict not_found and no error.
func (s *Service) DocumentByHash(ctx context.Context, v Viewer, hash string) (res DocumentResult, err error) {
	defer func() { s.count(ByHash, res.Verdict, err) }()
	sha256, err := digest.Parse(strings.ToLower(strings.TrimSpace(hash)))
	if err != nil {
		return DocumentResult{Verdict: NotFound}, nil
	}
	r, on, n, err := s.c.Store.DocumentByHash(ctx, sha256, s.c.Now())
	if err != nil {
		return DocumentResult{Verdict: NotFound}, unlessNotFound(err)
	}
	res = s.answerDocument(ctx, v, r, ByHash)
	if res.Verdict != NotFound {
		if res.MatchedOn, res.MatchCount = on, n; on == OnOriginal && res.Stamp != "" {
			res.Reason = notStamped(n)
		}
	}
	return res, nil
}

// answerDocument is the result for a document that is ours, and a line in its
// history. One whose row is not what was signed is the verdict not_found, with
// the check that says so.
func (s *Service) answerDocument(ctx context.Context, v Viewer, r DocumentRecord, m Method) DocumentResult {
	now := s.c.Now().UTC()
	d := r.Document.At(now)
	active := r.Issuer.State == tenant.Active
	res := DocumentResult{Verdict: documentVerdict(d.Status, active), Checks: documentChecks(r, d, active)}
	if res.Checks[0].Status != offline.Pass || res.Checks[1].Status != offline.Pass {
		res = DocumentResult{Verdict: NotFound, Checks: res.Checks[:2]}
	} else if !v.accepts(d.Test) {
		res = DocumentResult{Verdict: NotFound, Checks: append(res.Checks[:2:2], notTest), Test: true}
	}
	s.remember(ctx, Entry{
		Tenant: d.Tenant, Kind: OfDocument, Reference: payload.Reference(d.Reference), Verdict: res.Verdict, Method: m,
		ViewerKey: v.KeyPrefix, VerifiedAt: now, Test: d.Test,
	})
	if res.Verdict == NotFound {
		return res
	}
	res.Status, res.Reference, res.RecipientName, res.Title = shownStatus(res.Verdict), d.Reference, d.RecipientName, d.Title
	res.IssuerReference, res.IssuerName, res.DocumentType = r.Issuer.Reference, r.Issuer.Name, r.Kind
	res.IssuedAt, res.ExpiresAt, res.StatusAsOf, res.Test = d.IssuedAt, d.ExpiresAt, now, d.Test
	res.KeyID, res.ContentSHA256 = tenant.KeyID(d.Tenant, d.KeySeq), d.ContentSHA256()
	res.Replaces, res.ReplacedBy, res.ErasedAt = d.Replaces, d.ReplacedBy, d.ErasedAt
	if d.Stamp != nil {
		res.Stamp = d.Stamp.Reference.String()
	}
	if v.owns(d.Tenant, d.Test) {
		res.Fields, res.OwnTenant = d.Values, true
	}
	return res
}

// documentVerdict follows the precedence of server/README.md, "States". s is the present
// status.
func documentVerdict(s trustdoc.Status, issuerActive bool) Verdict {
	switch {
	case s == trustdoc.Revoked:
		return Revoked
	case s == trustdoc.Expired:
		return Expired
	case s == trustdoc.Suspended || !issuerActive:
		return Suspended
	}
	return Valid
}

// shownStatus returns the status for a verdict: a document of a suspended issuer counts as
// suspended.
func shownStatus(v Verdict) trustdoc.Status {
	switch v {
	case Revoked:
		return trustdoc.Revoked
	case Expired:
		return trustdoc.Expired
	case Suspended:
		return trustdoc.Suspended
	}
	return trustdoc.Active
}

// documentChecks returns the checks of a document: first those of the signed text, then
// those of its status. d is r's document at present. The text of an erased document is
// gone: both were checked by the transaction that erased it.
func documentChecks(r DocumentRecord, d trustdoc.Document, issuerActive bool) []offline.Check {
	signature := pass(offline.CheckSignature)
	if !d.Erased() && !d.SignedBy(r.Key) {
		signature.Status, signature.Code = offline.Fail, offline.CodeSignatureInvalid
	}
	record := pass(offline.CheckRecord)
	if !d.Erased() && !d.SaysText() {
		record.Status, record.Code = offline.Fail, offline.CodeRecordDiffers
	}
	entry := pass(offline.CheckStatusEntry)
	switch {
	case d.Status == trustdoc.Revoked && d.ReplacedBy != "":
		entry.Status, entry.Code = offline.Fail, offline.CodeReplaced
	case d.Status == trustdoc.Revoked:
		entry.Status, entry.Code = offline.Fail, offline.CodeRevoked
	case d.Status == trustdoc.Suspended:
		entry.Status, entry.Code = offline.Fail, offline.CodeSuspended
	}
	expiry := pass(offline.CheckNotExpired)
	switch {
	case d.Status == trustdoc.Expired:
		expiry.Status, expiry.Code = offline.Fail, offline.CodeDocumentExpired
	case d.ExpiresAt.IsZero():
		expiry.Code = offline.CodeNoExpiry
	}
	return []offline.Check{signature, record, issuerCheck(issuerActive), entry, expiry}
}
