package webhook

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"tcode/server/fault"
)

// MaxList is the largest number of deliveries in a list.
const MaxList = 1000

// Deliveries returns deliveries of an endpoint, newest first, those in a state
// if it is not "".
func (s *Service) Deliveries(ctx context.Context, tenantRef, endpoint string, state State, limit int) ([]Delivery, error) {
	if _, err := s.c.Store.Webhook(ctx, tenantRef, endpoint); err != nil {
		return nil, err
	}
	return s.c.Store.WebhookDeliveries(ctx, tenantRef, endpoint, state, min(max(limit, 1), MaxList))
}

// A DeliveryPage is one page of deliveries, newest first.
type DeliveryPage struct {
	Items             []Delivery
	TotalCount        int
	TotalIsLowerBound bool // there are more than TotalCount
}

// DeliveryPage returns one page of an endpoint's deliveries, newest first, those in a
// state if it is not "". page counts from 1.
func (s *Service) DeliveryPage(ctx context.Context, tenantRef, endpoint string, state State, page, size int) (DeliveryPage, error) {
	if _, err := s.c.Store.Webhook(ctx, tenantRef, endpoint); err != nil {
		return DeliveryPage{}, err
	}
	return s.c.Store.WebhookDeliveryPage(ctx, tenantRef, endpoint, state, page, size)
}

// Counts are numbers of deliveries by state.
type Counts struct{ Waiting, Delivered, Failed int }

// CountDay counts the deliveries of the last 24 hours of each of a tenant's endpoints, by
// the endpoint's id. Endpoints without any have no entry.
func (s *Service) CountDay(ctx context.Context, tenantRef string) (map[string]Counts, error) {
	return s.c.Store.CountWebhookDeliveries(ctx, tenantRef, s.now().Add(-24*time.Hour))
}

// DeliveryOf is [Service.Delivery] of an endpoint: another endpoint's delivery is a
// NotFound fault.
func (s *Service) DeliveryOf(ctx context.Context, tenantRef, endpoint, id string) (Delivery, []Try, error) {
	x, tries, err := s.c.Store.WebhookTries(ctx, tenantRef, id)
	if err == nil && x.Endpoint != endpoint {
		err = fault.New(fault.NotFound, fault.CodeNotFound, "no such delivery")
	}
	if err != nil {
		return Delivery{}, nil, err
	}
	return x, tries, nil
}

// Delivery returns one delivery with its tries.
func (s *Service) Delivery(ctx context.Context, tenantRef, id string) (Delivery, []Try, error) {
	return s.c.Store.WebhookTries(ctx, tenantRef, id)
}

// Redeliver sends a delivery again, in whatever state it is, with up to ten
// tries.
func (s *Service) Redeliver(ctx context.Context, tenantRef, id string) error {
	return s.c.Store.RedeliverWebhook(ctx, tenantRef, id, s.now(), s.entry(ctx, tenantRef, ActionRedeliver, id))
}

// RedeliverFailed sends again the deliveries of an endpoint that failed and were made at
// since or later, and returns their number.
func (s *Service) RedeliverFailed(ctx context.Context, tenantRef, endpoint string, since time.Time) (int, error) {
	audit := s.entry(ctx, tenantRef, ActionRedeliver, endpoint).With("since", since.UTC().Format(time.RFC3339))
	return s.c.Store.RedeliverWebhooks(ctx, tenantRef, endpoint, since, s.now(), audit)
}

// Test sends a [Ping] to an endpoint, enabled or not, and returns the result. It stores
// nothing.
func (s *Service) Test(ctx context.Context, tenantRef, id string) (Try, error) {
	e, err := s.c.Store.Webhook(ctx, tenantRef, id)
	if err != nil {
		return Try{}, err
	}
	now := s.now()
	body, err := Event{ID: uuid.NewString(), Type: Ping, CreatedAt: now, TenantReference: e.Tenant}.Body()
	if err != nil {
		return Try{}, err
	}
	secrets, err := s.secrets(e, now)
	if err != nil {
		return Try{}, err
	}
	began := time.Now()
	o := s.c.Sender.Post(ctx, Message{ID: uuid.NewString(), Type: Ping, URL: e.URL, Secrets: secrets, Body: []byte(body)})
	return Try{Number: 1, At: now, Took: time.Since(began), Outcome: o}, nil
}

// secrets returns the secrets that sign now, the newest first.
func (s *Service) secrets(e Endpoint, now time.Time) ([]string, error) {
	sealed := [][]byte{e.Secret}
	if len(e.OldSecret) > 0 && now.Before(e.OldUntil) {
		sealed = append(sealed, e.OldSecret)
	}
	out := make([]string, len(sealed))
	for i, b := range sealed {
		plain, err := s.c.Ring.Open(b, e.Tenant, SecretName(e.ID))
		if err != nil {
			return nil, fmt.Errorf("secret %s of webhook %s: %w", strconv.Itoa(i+1), e.ID, err)
		}
		out[i] = string(plain)
	}
	return out, nil
}
