package tenant

import (
	"context"

	"golang.org/x/text/language"

	"tcode/server/fault"
)

// DefaultLanguage is the language of messages to a tenant's recipients until
// [Service.SetLanguage] changes it.
const DefaultLanguage = "en"

const maxLanguage = 35 // bytes (RFC 5646, section 4.4.1)

// SetLanguage sets the language, a BCP 47 tag, of messages to a tenant's recipients. A
// text that is no such tag is a VALIDATION_FAILED fault.
func (s *Service) SetLanguage(ctx context.Context, reference, tag string) error {
	parsed, err := language.Parse(tag)
	if err != nil || parsed == language.Und || len(parsed.String()) > maxLanguage {
		var p fault.Fields
		p.Add("language", "must be a BCP 47 tag such as de or pt-BR")
		return p.Err()
	}
	t, err := s.Tenant(ctx, reference)
	if err != nil {
		return err
	}
	now := s.now().UTC()
	audit := NewEntry(ctx, t.Reference, ActionTenantLanguage, t.Reference, now).With("language", parsed.String())
	return s.store.SetTenantLanguage(ctx, t.Reference, parsed.String(), now, audit)
}
