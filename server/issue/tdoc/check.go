package tdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"tcode/offline/payload"
	"tcode/server/fault"
)

// Normal returns s with its defaults filled in: labels and types of fields, the
// product mode, and fields in their order. Fields of equal order stay in the sender's
// order.
func (s Spec) Normal() Spec {
	if s.ProductMode == "" {
		s.ProductMode = ModeTCode
	}
	s.IssuanceTemplateID = strings.ToLower(s.IssuanceTemplateID)
	s.CustomFields = slices.Clone(s.CustomFields)
	for i := range s.CustomFields {
		f := &s.CustomFields[i]
		f.Label = cmp.Or(f.Label, f.Key)
		f.Type = cmp.Or(f.Type, Text)
	}
	slices.SortStableFunc(s.CustomFields, func(a, b Field) int { return cmp.Compare(a.Order, b.Order) })
	return s
}

// Check returns a fault that names all problems of s by the field paths of the API,
// or nil. s is as the client sent it: paths count in the sender's order.
func (s Spec) Check() error {
	var p fault.Fields
	s.check(&p)
	return p.Err()
}

func (s Spec) check(p *fault.Fields) {
	p.Text("name", s.Name, true, MaxName)
	p.Text("description", s.Description, false, MaxDescription)
	if s.IssuanceTemplateID != "" && !isUUID(s.IssuanceTemplateID) {
		p.Add("issuanceTemplateId", "must be a UUID")
	}
	p.Text("issuanceTemplateName", s.IssuanceTemplateName, false, MaxName)
	p.Text("suggestedDocType", s.SuggestedDocType, false, MaxDocType)
	if s.ProductMode != "" && !slices.Contains(ProductModes(), s.ProductMode) {
		p.Add("productMode", "must be tcode, trust or trust_tcode")
	}
	s.checkFields(p)
}

func isUUID(id string) bool {
	_, err := uuid.Parse(id)
	return err == nil && len(id) == 36
}

func (s Spec) checkFields(p *fault.Fields) {
	if len(s.BaseFields) > MaxFields {
		p.Add("baseFields", "must have at most %d items", MaxFields)
	}
	if len(s.CustomFields) > MaxFields {
		p.Add("customFields", "must have at most %d items", MaxFields)
	}
	seen := map[string]bool{}
	unique := func(path, key string) {
		if seen[key] {
			p.Add(path, "is the key of another field")
		}
		seen[key] = true
	}
	for i, key := range s.BaseFields {
		path := fmt.Sprintf("baseFields[%d]", i)
		p.Text(path, key, true, MaxKey)
		unique(path, key)
	}
	signed := 0
	for i, f := range s.CustomFields {
		path := fmt.Sprintf("customFields[%d]", i)
		f.check(p, path)
		unique(path+".key", f.Key)
		if f.InPayload {
			signed++
		}
	}
	if signed > payload.MaxFields {
		p.Add("customFields", "may have at most %d fields in the payload, got %d", payload.MaxFields, signed)
	}
}

func (f Field) check(p *fault.Fields, path string) {
	f.definition().Check(p, path)
	if f.Order < 0 || f.Order > maxOrder {
		p.Add(path+".order", "must be 0 to %d", maxOrder)
	}
	if f.InPayload && !payloadKey(f.Key) {
		p.Add(path+".key", "must be 1 to %d characters of a-z, 0-9 and _ to be in the payload", payload.MaxFieldKey)
	}
	if f.InPayload && f.MaxLength > payload.MaxFieldValue {
		p.Add(path+".maxLength", "must be at most %d to be in the payload", payload.MaxFieldValue)
	}
}

// payloadKey reports whether a payload can hold key (offline/payload/FORMAT.md).
func payloadKey(key string) bool {
	if len(key) < 1 || len(key) > payload.MaxFieldKey {
		return false
	}
	return strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
