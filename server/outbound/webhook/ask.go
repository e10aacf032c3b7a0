package webhook

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
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
