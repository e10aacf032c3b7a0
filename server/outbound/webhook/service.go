package webhook

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"tcode/server/fault"
	"tcode/server/platform/hold"
	"tcode/server/tenant"
)

// Store stores endpoints and deliveries. Package store implements it, and writes the
// deliveries of events in the transactions of their effects.
type Store interface {
	// InsertWebhook stores a new endpoint; a Rejected fault if the tenant has
	// [MaxEndpoints].
	InsertWebhook(ctx context.Context, e Endpoint, once *tenant.IdempotencyRecord, audit *tenant.Entry) error
	// Webhook returns a NotFound fault if tenant has no such endpoint.
	Webhook(ctx context.Context, tenantRef, id string) (Endpoint, error)
	// Webhooks returns a tenant's endpoints, oldest first.
	Webhooks(ctx context.Context, tenantRef string) ([]Endpoint, error)
	// ChangeWebhook stores the endpoint as change changes it. If that disables the endpoint,
	// its waiting deliveries fail.
	ChangeWebhook(ctx context.Context, tenantRef, id string, change func(*Endpoint) error, audit *tenant.Entry) (Endpoint, error)
	// RemoveWebhook removes an endpoint with its deliveries.
	RemoveWebhook(ctx context.Context, tenantRef, id string, audit *tenant.Entry) error
	// WebhookDeliveries returns deliveries of an endpoint, newest first, those
	// in a state if it is not "".
	WebhookDeliveries(ctx context.Context, tenantRef, endpoint string, s State, limit int) ([]Delivery, error)
	// WebhookDeliveryPage returns one page of an endpoint's deliveries, newest first, those in
	// a state if it is not "".
	WebhookDeliveryPage(ctx context.Context, tenantRef, endpoint string, s State, page, size int) (DeliveryPage, error)
	// CountWebhookDeliveries counts the deliveries that were made since a time, by endpoint and
	// state.
	CountWebhookDeliveries(ctx context.Context, tenantRef string, since time.Time) (map[string]Counts, error)
	// WebhookTries returns a delivery with its tries in order, or a NotFound
	// fault.
	WebhookTries(ctx context.Context, tenantRef, delivery string) (Delivery, []Try, error)
	// RedeliverWebhook makes a delivery due again; it returns a NotFound fault if the tenant
	// has no such delivery, a Conflict if its endpoint is disabled.
	RedeliverWebhook(ctx context.Context, tenantRef, delivery string, now time.Time, audit *tenant.Entry) error
	// RedeliverWebhooks does so with all deliveries of an endpoint that failed and were made
	// at since or later, and returns their number.
	RedeliverWebhooks(ctx context.Context, tenantRef, endpoint string, since, now time.Time, audit *tenant.Entry) (int, error)

	// TakeWebhook gives an enabled endpoint to owner until the given time, unless another
	// owner has it, or [MaxHeld] of the tenant's endpoints are in use.
	TakeWebhook(ctx context.Context, id, owner string, now, until time.Time) (e Endpoint, taken bool, err error)
	// HoldWebhook extends the hold of owner; [hold.ErrLost] if another owner has the endpoint,
	// or none.
	HoldWebhook(ctx context.Context, tenantRef, id, owner string, until time.Time) error
	// BeginWebhookTries returns due deliveries of an endpoint that owner has, the
	// first ones first, and counts a try of each before it is made. A delivery whose
	// try does not end is due again at until. If its last try did not end, it fails
	// instead.
	BeginWebhookTries(ctx context.Context, e Endpoint, owner string, now, until time.Time, limit int) ([]Delivery, error)
	// PutWebhookTry stores what a try came to by [NextAttempt], and counts it for the
	// endpoint, which is disabled if its receiver is gone or hopeless. It
	// changes nothing if the delivery does not wait any more, or another try
	// has begun.
	PutWebhookTry(ctx context.Context, d Delivery, t Try) (State, Failing, error)
	// SetAsideDelivery fails a waiting delivery with [hold.Twice], or with "" disables the
	// endpoint. cause is for the audit log.
	SetAsideDelivery(ctx context.Context, endpoint, delivery, cause string, at time.Time) error
	// FreeWebhook ends the hold of owner, and makes the endpoint due at a time.
	FreeWebhook(ctx context.Context, id, owner string, at time.Time) error
	// ReleaseWebhook releases an endpoint, which is due again at wake.
	ReleaseWebhook(ctx context.Context, tenantRef, id, owner string, wake time.Time) error
	// WakeWebhooks wakes the runner for endpoints that have due deliveries and that no gateway
	// holds.
	WakeWebhooks(ctx context.Context, now time.Time) error
	// CleanWebhooks removes some of the deliveries that ended before then, and secrets that no
	// longer sign, and reports whether there may be more.
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

// A Message is one delivery to send.
type Message struct {
	ID      string // of the delivery: the same in each try
	Type    EventType
	URL     string
	Secrets []string // newest first
	Body    []byte   // JSON
}

// A Sender sends messages. Package post implements it.
type Sender interface {
	// CheckURL returns the reason why nothing can be sent to an address.
	CheckURL(address string) error
	// Post tries once.
	Post(ctx context.Context, m Message) Outcome
}

// Config is the configuration of a [Service]. The members up to Sender are required.
type Config struct {
	Store   Store
	Ring    Ring
	Tenants Tenants
	Sender  Sender

	AtOnce int                // concurrent posts to one endpoint; zero: 4
	Hold   time.Duration      // time for which an endpoint is held without a renewal; a try must fit into it; zero: [hold.Default]
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
	c.AtOnce, c.Hold = cmp.Or(c.AtOnce, 4), cmp.Or(c.Hold, hold.Default)
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
	ActionChange       = "webhook.change"
	ActionEnable       = "webhook.enable"
	ActionDisable      = "webhook.disable"
	ActionRemove       = "webhook.remove"
	ActionRotateSecret = "webhook.rotate_secret"
	ActionRedeliver    = "webhook.redeliver"
)

func (s *Service) entry(ctx context.Context, tenantRef, action, subject string) *tenant.Entry {
	return tenant.NewEntry(ctx, tenantRef, action, subject, s.now())
}

// CreateOptions are the options of a new endpoint.
type CreateOptions struct {
	URL    string
	Events Filter // nil: all events

	// Once, if not nil, makes the endpoint only once. Answer returns the answer to store,
	// which must not have the secret; nil: none is stored.
	Once   *tenant.IdempotencyRecord
	Answer func(Endpoint) (status int, body []byte, err error)
}

// Create makes an endpoint for the events that pass events; nil: all events. It returns
// the secret only this once, for the receiver.
func (s *Service) Create(ctx context.Context, tenantRef, url string, events Filter) (e Endpoint, secret string, err error) {
	return s.CreateWith(ctx, tenantRef, CreateOptions{URL: url, Events: events})
}

// CreateWith is [Service.Create] with options.
func (s *Service) CreateWith(ctx context.Context, tenantRef string, opt CreateOptions) (e Endpoint, secret string, err error) {
	t, err := s.c.Tenants.Tenant(ctx, tenantRef)
	if err != nil {
		return e, "", err
	}
	if len(opt.Events) == 0 {
		opt.Events = Filter{"*"}
	}
	if err := s.Check(&opt.URL, opt.Events); err != nil {
		return e, "", err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return e, "", err
	}
	now := s.now()
	e = Endpoint{Tenant: t.Reference, ID: id.String(), URL: opt.URL, Events: opt.Events, State: Enabled, CreatedAt: now, UpdatedAt: now}
	if secret, e.Secret, err = s.newSecret(e); err != nil {
		return e, "", err
	}
	var answer func() (int, []byte, error)
	if opt.Answer != nil {
		answer = func() (int, []byte, error) { return opt.Answer(e) }
	}
	once, err := opt.Once.With(e.Tenant, now, answer)
	if err != nil {
		return e, "", err
	}
	return e, secret, s.c.Store.InsertWebhook(ctx, e, once, s.entry(ctx, e.Tenant, ActionCreate, e.ID))
}

// Check returns the fault of a bad address, which may be nil, or of bad events.
func (s *Service) Check(url *string, events Filter) error {
	var wrong fault.Fields
	if url != nil {
		if err := s.c.Sender.CheckURL(*url); err != nil {
			wrong.Add("url", "%s", err.Error())
		} else if len(*url) > maxURL {
			wrong.Add("url", "must have at most %d bytes", maxURL)
		}
	}
	if bad, ok := events.Unknown(); ok {
		// The gateway repeats no text of a request in its errors.
		wrong.Add("events", "number %d is no event: want names such as stamp.revoked, stamp.* or *", slices.Index(events, bad)+1)
	}
	return wrong.Err()
}

// An Update changes an endpoint. Zero members change nothing.
type Update struct {
	URL    *string
	Events Filter
	State  EndpointState // [Service.Enable] and [Service.Disable] change nothing else
}

// Update changes an endpoint. Deliveries that wait go to the new address.
func (s *Service) Update(ctx context.Context, tenantRef, id string, u Update) (Endpoint, error) {
	if err := s.Check(u.URL, u.Events); err != nil {
		return Endpoint{}, err
	}
	audit := s.entry(ctx, tenantRef, ActionChange, id)
	for member, changed := range map[string]bool{"url": u.URL != nil, "events": len(u.Events) > 0, "state": u.State != ""} {
		if changed {
			audit.With(member, "changed") // an address may hold a secret of the receiver
		}
	}
	return s.c.Store.ChangeWebhook(ctx, tenantRef, id, func(e *Endpoint) error {
		if u.URL != nil {
			e.URL = *u.URL
		}
		if len(u.Events) > 0 {
			e.Events = u.Events
		}
		switch {
		case u.State == Enabled && e.State != Enabled:
			e.State, e.Reason, e.Failing = Enabled, "", Failing{}
		case u.State == Disabled && e.State != Disabled:
			e.State, e.Reason = Disabled, ReasonPerson
		}
		e.UpdatedAt = s.now()
		return nil
	}, audit)
}

// Endpoint returns one endpoint, or a NotFound fault.
func (s *Service) Endpoint(ctx context.Context, tenantRef, id string) (Endpoint, error) {
	return s.c.Store.Webhook(ctx, tenantRef, id)
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

// Enable makes an endpoint receive the events from now on.
func (s *Service) Enable(ctx context.Context, tenantRef, id string) (Endpoint, error) {
	return s.c.Store.ChangeWebhook(ctx, tenantRef, id, func(e *Endpoint) error {
		e.State, e.Reason, e.Failing = Enabled, "", Failing{}
		e.UpdatedAt = s.now()
		return nil
	}, s.entry(ctx, tenantRef, ActionEnable, id))
}

// Disable stops all deliveries to an endpoint. Its waiting deliveries fail, and can be
// requested again once it is enabled.
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

// RotateSecret gives an endpoint a new secret. The old one also signs for [Overlap]; an
// older one no longer signs.
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
