// Package brand is how a tenant looks on public pages: logo, colour, and how to reach it.
// Call [New] first.
//
//	picture ─▶ NewLogo: decoded, encoded again ─┐
//	colour, address, e-mail, phone ─▶ checked ──┴▶ Service.Change ─▶ store ─▶ pages
//
// The colour is a line beside the name, and never the ground of a verdict: no brand may
// look like an answer, so that green, amber and red are refused.
package brand

import (
	"context"
	"net/mail"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// A Brand is how a tenant looks. Empty members are not shown.
type Brand struct {
	Colour string // of the line: # and six hexadecimal digits, in lower case
	Web    string // https address
	Email  string
	Phone  string // + and digits, with spaces and hyphens
	Names  bool   // pages show the display names of stamps
	Logo   Logo
}

// Store keeps brands. Package store implements it.
type Store interface {
	// Brand returns the brand of a tenant, without the data of its logo. A tenant without
	// one has the zero brand.
	Brand(ctx context.Context, tenantRef string) (Brand, error)
	// Logo returns a logo of a tenant with its data, or a NotFound fault.
	Logo(ctx context.Context, tenantRef, sha256 string) (Logo, error)
	// ChangeBrand stores a brand as change changes it, and the audit entry, in one
	// transaction. It returns a NotFound fault if there is no such tenant.
	ChangeBrand(ctx context.Context, tenantRef string, now time.Time, change func(*Brand) error, audit *tenant.Entry) (Brand, error)
}

// Service is the domain of brands. It is safe for concurrent use.
type Service struct {
	store Store
	now   func() time.Time
}

// New returns the service.
func New(store Store, now func() time.Time) *Service {
	if now == nil {
		now = time.Now
	}
	return &Service{store, now}
}

// ActionTenantBrand is the audited action of a change.
const ActionTenantBrand = "tenant.brand"

// Brand returns the brand of a tenant, without the data of its logo.
func (s *Service) Brand(ctx context.Context, tenantRef string) (Brand, error) {
	return s.store.Brand(ctx, tenantRef)
}

// Logo returns a logo of a tenant by its hash.
func (s *Service) Logo(ctx context.Context, tenantRef, sha256 string) (Logo, error) {
	return s.store.Logo(ctx, tenantRef, sha256)
}

// Change changes the brand of a tenant. What is wrong with it is a VALIDATION_FAILED fault.
func (s *Service) Change(ctx context.Context, tenantRef string, change func(*Brand)) (Brand, error) {
	ref, ok := tenant.ParseReference(tenantRef)
	if !ok {
		return Brand{}, fault.New(fault.NotFound, fault.CodeNotFound, "no tenant %s", tenantRef)
	}
	now := s.now().UTC()
	return s.store.ChangeBrand(ctx, ref, now, func(b *Brand) error {
		change(b)
		return b.Check()
	}, tenant.NewEntry(ctx, ref, ActionTenantBrand, ref, now))
}

const (
	maxWeb   = 200
	maxEmail = 254
)

var (
	colours = regexp.MustCompile(`^#[0-9a-f]{6}$`)
	phones  = regexp.MustCompile(`^\+[0-9](?:[ -]?[0-9]){5,18}$`)
)

// Check returns a VALIDATION_FAILED fault that names all members that are not good. It
// writes the colour in lower case.
func (b *Brand) Check() error {
	var p fault.Fields
	b.Colour = strings.ToLower(b.Colour)
	if b.Colour != "" && !colours.MatchString(b.Colour) {
		p.Add("colour", "must be # and six hexadecimal digits, such as #3440a8")
	} else if b.Colour != "" && alarming(b.Colour) {
		p.Add("colour", "must not be red, orange, amber, yellow or green: those are the colours of verdicts")
	}
	if u, err := url.Parse(b.Web); b.Web != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(b.Web) > maxWeb) {
		p.Add("web", "must be an https address of at most 200 characters")
	}
	if a, err := mail.ParseAddress(b.Email); b.Email != "" && (err != nil || a.Address != b.Email || len(b.Email) > maxEmail) {
		p.Add("email", "must be an e-mail address")
	}
	if b.Phone != "" && !phones.MatchString(b.Phone) {
		p.Add("phone", "must be + and 6 to 19 digits, with single spaces or hyphens between them")
	}
	return p.Err()
}

// alarming reports whether a colour has the hue of a verdict: red, amber or green. Greys
// have none.
func alarming(colour string) bool {
	n, _ := strconv.ParseUint(colour[1:], 16, 32) // it was checked
	r, g, b := float64(n>>16), float64(n>>8&0xff), float64(n&0xff)
	high, low := max(r, g, b), min(r, g, b)
	chroma := high - low
	if chroma < 0.12*255 {
		return false
	}
	var hue float64 // degrees
	switch high {
	case r:
		hue = 60 * (g - b) / chroma
	case g:
		hue = 60 * (2 + (b-r)/chroma)
	default:
		hue = 60 * (4 + (r-g)/chroma)
	}
	return -15 < hue && hue < 170
}
