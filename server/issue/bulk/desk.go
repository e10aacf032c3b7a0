package bulk

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// A Filter selects jobs of a tenant.
type Filter struct {
	Product Product // "": all
	Status  Status  // "": all
	Test    bool    // only those that make test documents
}

// Browse returns one page of the jobs that the caller reaches, newest first.
func (s *Service) Browse(ctx context.Context, id tenant.Identity, f Filter, page, pageSize int) (Page, error) {
	f.Test = f.Test || id.Test
	return s.c.Store.Bulks(ctx, id.Tenant.Reference, f, page, pageSize)
}

// Find returns a job of any product. The fault is NOT_FOUND.
func (s *Service) Find(ctx context.Context, id tenant.Identity, jobID string) (Job, error) {
	uid, err := uuid.Parse(jobID)
	if err != nil {
		return Job{}, NoJob()
	}
	j, err := s.c.Store.Bulk(ctx, id.Tenant.Reference, uid.String())
	if err == nil && !id.Reaches(j.Test) {
		return Job{}, NoJob()
	}
	return j, err
}

// Proceed orders a job with the files and the order of a dry run that found them good. A
// dry run is ordered once: another call returns the same job. Faults: NOT_FOUND,
// INVALID_TRANSITION, FORBIDDEN, those of [Maker.Plan].
func (s *Service) Proceed(ctx context.Context, id tenant.Identity, jobID string) (Job, error) {
	dry, err := s.Find(ctx, id, jobID)
	if err != nil {
		return Job{}, err
	}
	if !dry.DryRun || dry.Status != Completed {
		return Job{}, fault.New(fault.Conflict, fault.CodeInvalidTransition, "this bulk job is no dry run that found its files good")
	}
	now := s.now()
	if err := s.c.Store.Admit(ctx, dry.Tenant, tenant.KindBulkJobs.Of(dry.Test), 1, now); err != nil {
		return Job{}, err
	}
	if _, err := s.c.Makers[dry.Product].Plan(ctx, dry.Tenant, dry.Order); err != nil {
		return Job{}, err
	}
	uid, err := uuid.NewV7()
	if err != nil {
		return Job{}, fmt.Errorf("allocate job id: %w", err)
	}
	j := Job{ID: uid.String(), Tenant: dry.Tenant, Order: dry.Order, Status: Pending, By: id.Author(), CSV: dry.CSV, ZIP: dry.ZIP, Checked: dry.ID, CreatedAt: now, UpdatedAt: now}
	j.DryRun = false
	audit := id.Entry("bulk.create", j.ID, now).With("product", string(j.Product)).With("checked", dry.ID)
	err = s.c.Store.InsertBulk(ctx, j, nil, audit)
	if fault.Is(err, fault.Conflict) {
		return s.c.Store.BulkOf(ctx, dry.Tenant, dry.ID)
	}
	return j, err
}

// Ordered returns the job that was made of a dry run, or a NOT_FOUND fault.
func (s *Service) Ordered(ctx context.Context, dry Job) (Job, error) {
	return s.c.Store.BulkOf(ctx, dry.Tenant, dry.ID)
}
