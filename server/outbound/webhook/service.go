package webhook

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// Store is what this package needs kept. Package store implements it, and
// writes the deliveries of events in the transactions of their effects.
type Store interface {
	// InsertWebhook stores a new endpoint; a Rejected fault if the tenant has
	// [MaxEndpoints].
	InsertWebhook(ctx context.Context, e Endpoint, audit *tenant.Entry) error
	// Webhook returns a NotFound fault if tenant has no such endpoint.
	Webhook(ctx context.Context, tenantRef, id string) (Endpoint, error)
	// Webhooks returns a tenant's endpoints, oldest first.
	Webhooks(ctx context.Context, tenantRef string) ([]Endpoint, error)
	// ChangeWebhook stores what change makes of an endpoint. The waiting
	// deliveries of one that is disabled by it fail.
	ChangeWebhook(ctx context.Context, tenantRef, id string, change func(*Endpoint) error, audit *tenant.Entry) (Endpoint, error)
	// RemoveWebhook removes an endpoint with its deliveries.
	RemoveWebhook(ctx context.Context, tenantRef, id string, audit *tenant.Entry) error
	// WebhookDeliveries returns deliveries of an endpoint, newest first, those
	// in a state if it is not "".
	WebhookDeliveries(ctx context.Context, tenantRef, endpoint string, s State, limit int) ([]Delivery, error)
	// WebhookTries returns a delivery with its tries in order, or a NotFound
	// fault.
	WebhookTries(ctx context.Context, tenantRef, delivery string) (Delivery, []Try, error)
	// RedeliverWebhook has a delivery tried again from now on; a NotFound fault
	// if tenant has none such, a Conflict if its endpoint is disabled.
	RedeliverWebhook(ctx context.Context, tenantRef, delivery string, now time.Time, audit *tenant.Entry) error
	// RedeliverWebhooks does so with all of an endpoint that failed and were
	// made at since or later, and returns how many there were.
	RedeliverWebhooks(ctx context.Context, tenantRef, endpoint string, since, now time.Time, audit *tenant.Entry) (int, error)

	// TakeWebhook gives an enabled endpoint to owner until the given time, if
	// no other owner has it, and not [MaxHeld] of the tenant's are being sent to.
	TakeWebhook(ctx context.Context, id, owner string, now, until time.Time) (e Endpoint, taken bool, err error)
	// BeginWebhookTries returns deliveries that are due at an endpoint which
	// owner has, the first ones first, and counts a try of each before it is
	// made. One whose try does not end is due again at until. One whose last
	// try did not end fails instead.
	BeginWebhookTries(ctx context.Context, e Endpoint, owner string, now, until time.Time, limit int) ([]Delivery, error)
	// PutWebhookTry stores what a try came to by [NextAttempt], and counts it for the
	// endpoint, which is disabled if its receiver is gone or hopeless. It
	// changes nothing if the delivery does not wait any more, or another try
	// has begun.
	PutWebhookTry(ctx context.Context, d Delivery, t Try) (State, Failing, error)
	// ReleaseWebhook gives an endpoint back, to be looked at again from then on.
	ReleaseWebhook(ctx context.Context, tenantRef, id, owner string, wake time.Time) error
	// WakeWebhooks wakes the runner for endpoints that have deliveries that are
	// due, and that no gateway holds.
	WakeWebhooks(ctx context.Context, now time.Time) error
	// CleanWebhooks removes some of the deliveries that ended before then, and
	// secrets that sign no more, and reports whether there may be more.
	CleanWebhooks(ctx context.Context, before, now time.Time) (more bool, err error)
}

// A Ring seals secrets. Package keyring implements it.
type Ring interface {
	Seal(plain []byte, tenant, keyID string) ([]byte, error)
	Open(sealed []byte, tenant, keyID string) ([]byte, error)
}

// Tenants finds tenants. Package tenant implements it.
type Tenants interface {
	Tenant(ctx context.Context, reference string) (tenant.Tenant, error)
}

// A Message is what is sent.
type Message struct {
	ID      string // of the delivery: the same in each try
	Type    EventType
	URL     string
	Secrets []string // newest first
	Body    []byte   // JSON
}

// A Sender sends messages. Package post implements it.
type Sender interface {
	// CheckURL reports why nothing can be sent to an address.
	CheckURL(address string) error
	// Post tries once.
	Post(ctx context.Context, m Message) Outcome
}

// Config is what a [Service] works with. The members up to Sender are required.
type Config struct {
	Store   Store
	Ring    Ring
	Tenants Tenants
	Sender  Sender

	AtOnce int                // posts to one endpoint at the same time; zero: 4
	Hold   time.Duration      // how long an endpoint is held; a try must fit into half of it; zero: 1 min
	Now    func() time.Time   // nil: time.Now
	Log    *slog.Logger       // nil: discards
	Count  func(state string) // counts tries, by the state of the delivery after them; nil: not counted
}

// Service is the domain of webhooks. It is safe for concurrent use.
type Service struct {
	c     Config
	clean cleaning
}

// New returns the service.
func New(c Config) *Service {
	c.AtOnce, c.Hold = cmp.Or(c.AtOnce, 4), cmp.Or(c.Hold, time.Minute)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Count == nil {
		c.Count = func(string) {}
	}
	return &Service{c: c}
}

func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }

// The actions in the audit log.
const (
	ActionCreate       = "webhook.create"
	ActionEnable       = "webhook.enable"
	ActionDisable      = "webhook.disable"
	ActionRemove       = "webhook.remove"
	ActionRotateSecret = "webhook.rotate_secret"
	ActionRedeliver    = "webhook.redeliver"
)

func (s *Service) entry(ctx context.Context, tenantRef, action, subject string) *tenant.Entry {
	return tenant.NewEntry(ctx, tenantRef, action, subject, s.now())
}

// Create makes an endpoint that wants what passes events; nil: everything. The
// secret is returned this once, to be given to the receiver.
func (s *Service) Create(ctx context.Context, tenantRef, url string, events Filter) (e Endpoint, secret string, err error) {
	t, err := s.c.Tenants.Tenant(ctx, tenantRef)
	if err != nil {
		return e, "", err
	}
	if len(events) == 0 {
		events = Filter{"*"}
	}
	var wrong fault.Fields
	if err := s.c.Sender.CheckURL(url); err != nil {
		wrong.Add("url", "%s", err.Error())
	} else if len(url) > maxURL {
		wrong.Add("url", "must have at most %d bytes", maxURL)
	}
	if bad, ok := events.Unknown(); ok {
		wrong.Add("events", "%q is no event: want names such as stamp.revoked, stamp.* or *", bad)
	}
	if err := wrong.Err(); err != nil {
		return e, "", err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return e, "", err
	}
	now := s.now()
	e = Endpoint{Tenant: t.Reference, ID: id.String(), URL: url, Events: events, State: Enabled, CreatedAt: now, UpdatedAt: now}
	if secret, e.Secret, err = s.newSecret(e); err != nil {
		return e, "", err
	}
	return e, secret, s.c.Store.InsertWebhook(ctx, e, s.entry(ctx, e.Tenant, ActionCreate, e.ID))
}

func (s *Service) newSecret(e Endpoint) (secret string, sealed []byte, err error) {
	if secret, err = NewSecret(nil); err != nil {
		return "", nil, err
	}
	sealed, err = s.c.Ring.Seal([]byte(secret), e.Tenant, SecretName(e.ID))
	return secret, sealed, err
}

// List returns a tenant's endpoints, oldest first.
func (s *Service) List(ctx context.Context, tenantRef string) ([]Endpoint, error) {
	t, err := s.c.Tenants.Tenant(ctx, tenantRef)
	if err != nil {
		return nil, err
	}
	return s.c.Store.Webhooks(ctx, t.Reference)
}

// Enable has an endpoint sent what happens from now on.
func (s *Service) Enable(ctx context.Context, tenantRef, id string) (Endpoint, error) {
	return s.c.Store.ChangeWebhook(ctx, tenantRef, id, func(e *Endpoint) error {
		e.State, e.Reason, e.Failing = Enabled, "", Failing{}
		e.UpdatedAt = s.now()
		return nil
	}, s.entry(ctx, tenantRef, ActionEnable, id))
}

// Disable has an endpoint sent nothing more. What waits for it fails, and can
// be asked for again once it is enabled.
func (s *Service) Disable(ctx context.Context, tenantRef, id string) (Endpoint, error) {
	return s.c.Store.ChangeWebhook(ctx, tenantRef, id, func(e *Endpoint) error {
		e.State, e.Reason, e.UpdatedAt = Disabled, ReasonPerson, s.now()
		return nil
	}, s.entry(ctx, tenantRef, ActionDisable, id))
}

// Remove removes an endpoint with all its deliveries.
func (s *Service) Remove(ctx context.Context, tenantRef, id string) error {
	return s.c.Store.RemoveWebhook(ctx, tenantRef, id, s.entry(ctx, tenantRef, ActionRemove, id))
}

// RotateSecret gives an endpoint another secret. The one it had signs as well
// for [Overlap]; one from before that signs no more.
func (s *Service) RotateSecret(ctx context.Context, tenantRef, id string) (e Endpoint, secret string, err error) {
	e, err = s.c.Store.ChangeWebhook(ctx, tenantRef, id, func(e *Endpoint) error {
		fresh, sealed, err := s.newSecret(*e)
		if err != nil {
			return err
		}
		now := s.now()
		secret, e.OldSecret, e.Secret, e.OldUntil, e.UpdatedAt = fresh, e.Secret, sealed, now.Add(Overlap), now
		return nil
	}, s.entry(ctx, tenantRef, ActionRotateSecret, id))
	return e, secret, err
}
