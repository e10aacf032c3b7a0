package tenant

import (
	"fmt"
	"time"

	"tcode/server/fault"
)

// With returns a copy of o with the result of answer, which the store
// writes in the effect's transaction. A nil o, or a nil answer, stays
// without one.
func (o *IdempotencyRecord) With(tenant string, now time.Time, answer func() (status int, body []byte, err error)) (*IdempotencyRecord, error) {
	if o == nil {
		return nil, nil
	}
	kept := *o
	kept.Tenant, kept.CreatedAt = tenant, now
	if answer == nil {
		return &kept, nil
	}
	var err error
	if kept.Status, kept.Body, err = answer(); err != nil {
		return nil, fmt.Errorf("answer to keep: %w", err)
	}
	return &kept, nil
}

// Changed returns the fault of a change that was requested for another version of a thing
// than the present one.
func Changed(what string) error {
	return fault.New(fault.Precondition, fault.CodePreconditionFailed, "the %s is not the one that If-Match names", what)
}
