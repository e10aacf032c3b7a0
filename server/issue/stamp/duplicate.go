package stamp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tcode/server/tenant"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"tcode/offline/payload"
	"tcode/server/fault"
)

// A DuplicateQuery asks for stamps that are there already. A stamp that was
// replaced stands for nothing any more and never fits; one that was revoked fits
// by its file alone. Neither does a test document fit where a live one is to be
// made, nor the other way round.
type DuplicateQuery struct {
	Test           bool // among test documents
	ExternalID     string
	SHA256         string          // of a file in hexadecimal, stamped or not
	TdocTemplateID string          // needed with Fields, and without use alone
	Fields         []payload.Field // all of these values
	Twin           []byte          // of [Stamp.Twin]; nil: none
}

// MatchedBy is the way in which a stamp fits a [DuplicateQuery].
type MatchedBy string

// The ways to fit. The API uses these words.
const (
	ByExternalID MatchedBy = "externalId"
	BySHA256     MatchedBy = "sha256"
	ByFields     MatchedBy = "fields"
)

// A Match is one stamp that fits in one way.
type Match struct {
	ID        string
	Reference payload.Reference
	By        MatchedBy
}

// MaxMatches is the most a duplicate check returns.
const MaxMatches = 20

// Duplicates returns the tenant's stamps that fit q in any way, one match for
// each way, newest first, at most [MaxMatches].
func (s *Service) Duplicates(ctx context.Context, tenantRef string, q DuplicateQuery) ([]Match, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	q.TdocTemplateID = strings.ToLower(q.TdocTemplateID)
	return s.c.Store.Duplicates(ctx, tenantRef, q, MaxMatches)
}

// lookForDuplicate returns a DUPLICATE fault if another stamp than the one w
// replaces has w's external id, or stands with w's very values.
func (s *Service) lookForDuplicate(ctx context.Context, id tenant.Identity, w work) error {
	q := DuplicateQuery{Test: w.test(id), ExternalID: w.ExternalID}
	q.Twin = Stamp{TdocTemplateID: w.TdocTemplateID, ExternalID: w.ExternalID, Test: q.Test, Values: w.Request.Fields}.Twin()
	if q.ExternalID == "" && q.Twin == nil {
		return nil
	}
	matches, err := s.c.Store.Duplicates(ctx, id.Tenant.Reference, q, MaxMatches)
	if err != nil {
		return err
	}
	for _, m := range matches {
		if w.replaces == nil || w.replaces.ID != m.ID { // it hands its id and its values on
			return Duplicate(m.Reference, m.By)
		}
	}
	return nil
}

// Duplicate is the fault of a stamp that is there already.
func Duplicate(existing payload.Reference, by MatchedBy) error {
	f := fault.New(fault.Conflict, fault.CodeDuplicate, "a stamp with this externalId exists: %s; another document needs another externalId", existing)
	if by == ByFields {
		f = fault.New(fault.Conflict, fault.CodeDuplicate, "a stamp of this TDoc template with these field values exists: %s; if this is another document, for example of another person of this name, give it an externalId of its own", existing)
	}
	return f.WithField(string(by), "is that of %s", existing).WithReference(existing.String())
}

// Twin returns a key that two stamps share if they are the same to people: of the
// TDoc template and every value, in any normal form of Unicode. A stamp with an external id has none, because the
// client that gave the id vouches for it. A stamp without values has none either. nil
// is none.
func (st Stamp) Twin() []byte {
	if st.ExternalID != "" || st.TdocTemplateID == "" {
		return nil
	}
	values := make([]string, 0, len(st.Values))
	for _, v := range st.Values {
		if v.Value != "" {
			values = append(values, strconv.Quote(v.Key)+":"+strconv.Quote(norm.NFC.String(v.Value)))
		}
	}
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	sum := sha256.Sum256([]byte(st.TdocTemplateID + " " + strconv.FormatBool(st.Test) + " " + strings.Join(values, ",")))
	return sum[:]
}

// maxQueryFields bounds a question by field values; no template has more
// fields.
const maxQueryFields = 100

// Check returns a fault with all problems of q.
func (q DuplicateQuery) Check() error {
	var p fault.Fields
	if q.ExternalID == "" && q.SHA256 == "" && len(q.Fields) == 0 {
		p.Add("$body", "needs externalId, sha256 or fields")
	}
	p.Text("externalId", q.ExternalID, false, MaxExternalID)
	if raw, err := hex.DecodeString(q.SHA256); q.SHA256 != "" && (err != nil || len(raw) != 32) {
		p.Add("sha256", "must be 64 hexadecimal digits")
	}
	q.check(&p)
	return p.Err()
}

// check adds the problems of the fields and their template.
func (q DuplicateQuery) check(p *fault.Fields) {
	switch {
	case q.TdocTemplateID == "" && len(q.Fields) > 0:
		p.Add("tdocTemplateId", "is needed with fields")
	case q.TdocTemplateID != "" && len(q.Fields) == 0:
		p.Add("fields", "are needed with tdocTemplateId")
	case q.TdocTemplateID != "":
		if _, err := uuid.Parse(q.TdocTemplateID); err != nil {
			p.Add("tdocTemplateId", "must be a UUID")
		}
	}
	if len(q.Fields) > maxQueryFields {
		p.Add("fields", "must have at most %d items", maxQueryFields)
		return
	}
	seen := map[string]bool{}
	for i, f := range q.Fields {
		path := fmt.Sprintf("fields[%d]", i)
		p.Text(path+".key", f.Key, true, maxFieldKey)
		p.Text(path+".value", f.Value, false, maxFieldValue)
		if seen[f.Key] {
			p.Add(path+".key", "is given more than once")
		}
		seen[f.Key] = true
	}
}

// Limits of a stored field, in characters.
const (
	maxFieldKey   = 100
	maxFieldValue = 500
)
