package batch

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// SetAside leaves out a record that ended its process twice, or with "" ends the order.
func (s *Service) SetAside(ctx context.Context, id, record, cause string) error {
	return s.c.Store.SetAsideRecord(ctx, id, record, cause, s.now())
}

// Free gives back an order that a work process held when it ended.
func (s *Service) Free(ctx context.Context, id, owner string) error {
	return s.c.Store.FreeBatch(ctx, id, owner, s.now())
}

// StopAny is [Service.Stop] for an operator, whose name is in the context. The fault is
// INVALID_TRANSITION for an order that is over.
func (s *Service) StopAny(ctx context.Context, tenantRef, id string) error {
	now := s.now()
	stopped, err := s.c.Store.StopBatch(ctx, tenantRef, id, now, tenant.NewEntry(ctx, tenantRef, "batch.stop", id, now))
	if err == nil && !stopped {
		return fault.New(fault.Conflict, fault.CodeInvalidTransition, "the order is over")
	}
	return err
}

// Again orders a record of an order again, for an operator, whose name is in the context.
func (s *Service) Again(ctx context.Context, tenantRef, id, record string) error {
	b, err := s.c.Store.Batch(ctx, tenantRef, id)
	if err != nil {
		return err
	}
	if _, err := uuid.Parse(record); err != nil {
		return fault.New(fault.Conflict, fault.CodeInvalidTransition, "an order is not done again, only one of its records: %s/RECORD", id)
	}
	uid, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("allocate order: %w", err)
	}
	now := s.now()
	next := Batch{
		Order:  Order{Subject: b.Subject, Action: b.Action, Reason: b.Reason, IDs: []string{record}},
		Tenant: tenantRef, ID: uid.String(), Author: b.Author, State: Running, Total: 1, CreatedAt: now, UpdatedAt: now,
	}
	audit := tenant.NewEntry(ctx, tenantRef, "batch.begin", next.ID, now).With("again", id)
	return s.c.Store.InsertBatch(ctx, next, now.Add(-Keep), audit)
}
