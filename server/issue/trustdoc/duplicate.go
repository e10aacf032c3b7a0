package trustdoc

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/field"
	"tcode/server/issue/stamp"
	"tcode/server/tenant"
)

// A DuplicateQuery asks for documents that are there already: with the external
// id; or of the template, with all of the values (and
// to the recipient, if one is named). Only documents that stand count: not ended, not replaced.
// Live documents and test documents are duplicates of their own kind only.
type DuplicateQuery struct {
	Test          bool   // among test documents
	TemplateID    string // needed with Fields
	ExternalID    string
	RecipientName string // narrows down Fields; "": anyone
	Fields        []payload.Field
	Twin          []byte // of [Document.Twin]; nil: none
}

// A Match is one document that fits in one way.
type Match struct {
	ID        string
	Reference Reference
	By        stamp.MatchedBy // ByExternalID or ByFields
}

// Duplicates returns the tenant's documents that fit q, one match for each way,
// newest first, at most [stamp.MaxMatches].
func (s *Service) Duplicates(ctx context.Context, tenantRef string, q DuplicateQuery) ([]Match, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	q.TemplateID = strings.ToLower(q.TemplateID)
	return s.c.Store.DuplicateDocuments(ctx, tenantRef, q, s.now(), stamp.MaxMatches)
}

// Check returns a fault with all problems of q.
func (q DuplicateQuery) Check() error {
	var p fault.Fields
	if q.ExternalID == "" && len(q.Fields) == 0 {
		p.Add("$body", "needs externalId or fields")
	}
	p.Text("externalId", q.ExternalID, false, MaxExternalID)
	p.Text("recipientName", q.RecipientName, false, MaxRecipientName)
	if len(q.Fields) > 0 && q.TemplateID == "" {
		p.Add("templateId", "is needed with fields")
	}
	if len(q.Fields) > MaxFields {
		p.Add("fields", "must have at most %d items", MaxFields)
	}
	if _, err := uuid.Parse(q.TemplateID); q.TemplateID != "" && err != nil {
		p.Add("templateId", "must be a UUID")
	}
	seen := map[string]bool{}
	for i, f := range q.Fields[:min(len(q.Fields), MaxFields)] {
		path := fmt.Sprintf("fields[%d]", i)
		p.Text(path+".key", f.Key, true, field.MaxKey)
		p.Text(path+".value", f.Value, false, field.MaxValue)
		if seen[f.Key] {
			p.Add(path+".key", "is given more than once")
		}
		seen[f.Key] = true
	}
	return p.Err()
}

// lookForDuplicate returns a DUPLICATE fault if another document than the one w
// replaces has w's external id, or stands with w's very values.
func (s *Service) lookForDuplicate(ctx context.Context, id tenant.Identity, w work) error {
	q := DuplicateQuery{ExternalID: w.ExternalID, Test: w.test(id)}
	switch {
	case q.ExternalID == "" && w.replaces == nil:
		q.Twin = Document{TemplateID: w.template.ID, RecipientName: w.RecipientName, Test: q.Test, Values: w.Fields}.Twin()
		if q.Twin == nil {
			return nil
		}
	case q.ExternalID == "":
		return nil // it may stand with the very values of the one it replaces: the transaction ends that first
	case w.replaces != nil && w.replaces.ExternalID == w.ExternalID:
		return nil // it hands its id on, if nothing has replaced it meanwhile: that is asked first
	}
	matches, err := s.c.Store.DuplicateDocuments(ctx, id.Tenant.Reference, q, s.now(), 1)
	if err != nil || len(matches) == 0 {
		return err
	}
	return Duplicate(matches[0].Reference, matches[0].By)
}

// Twin returns a key that two documents share if they are the same to people: of the
// template, the recipient and every value, in any normal form of Unicode. A document with an external id has none,
// because the client that gave the id vouches for it. A document without values has
// none either. nil is none.
func (d Document) Twin() []byte {
	if d.ExternalID != "" {
		return nil
	}
	values := make([]payload.Field, 0, len(d.Values))
	for _, v := range d.Values {
		if v.Value != "" {
			values = append(values, payload.Field{Key: v.Key, Value: norm.NFC.String(v.Value)})
		}
	}
	if len(values) == 0 {
		return nil
	}
	sum := sha256.Sum256([]byte("[" + strings.Join([]string{
		quote(d.TemplateID), quote(norm.NFC.String(d.RecipientName)), strconv.FormatBool(d.Test), fieldsObject(values),
	}, ",") + "]"))
	return sum[:]
}

// Standing reports whether d has not ended as of now.
func (d Document) Standing(now time.Time) bool { return !d.Status.At(d.ExpiresAt, now).Terminal() }
