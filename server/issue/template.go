package issue

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"tcode/server/tenant"
)

// A Template holds the data that templates of every kind have, other than their
// settings.
type Template struct {
	ID        string // UUIDv7
	Tenant    string
	Version   int64 // from 1, one more with each update
	Hidden    bool  // deleted: only records that name it find it
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Templates is the life of the templates of one kind, whose type is T:
//
//	Make ─▶ version 1 ── Change ──▶ version 2, 3, ... ── Delete ──▶ hidden
//	             │                                                    │
//	             └──── what was made with it names it permanently ◀───┘
//
// All members are required.
type Templates[T any] struct {
	Noun    string               // of the audit log: "tdoc" for "tdoc.create"
	Missing func() error         // the NotFound fault of a template that is not the tenant's
	Head    func(t *T) *Template // the common part of t
	Now     func() time.Time     // in UTC, to the millisecond
	Insert  func(ctx context.Context, t T, once *tenant.IdempotencyRecord, audit *tenant.Entry) error
	// Load returns a hidden template too, Missing if tenant has no such template.
	Load func(ctx context.Context, tenantRef, id string) (T, error)
	// Store runs change on a template that is not hidden. If change reports true,
	// Store stores the result in the same transaction, which lets no other change
	// come between.
	Store func(ctx context.Context, tenantRef, id string, audit *tenant.Entry, change func(*T) (changed bool, err error)) error
}

// Make stores the settings of t as a new template. of is the id of the template that
// it copies, or "". once may be nil; otherwise Make keeps the answer under it in the
// template's own transaction.
func (k Templates[T]) Make(ctx context.Context, id tenant.Identity, t T, of string, once *tenant.IdempotencyRecord, answer func(T) (status int, body []byte, err error)) (made T, err error) {
	uid, err := uuid.NewV7()
	if err != nil {
		return made, fmt.Errorf("allocate template id: %w", err)
	}
	now := k.Now()
	*k.Head(&t) = Template{ID: uid.String(), Tenant: id.Tenant.Reference, Version: 1, CreatedAt: now, UpdatedAt: now}
	if once, err = once.With(id.Tenant.Reference, now, func() (int, []byte, error) { return answer(t) }); err != nil {
		return made, err
	}
	action := ".create"
	if of != "" {
		action = ".duplicate"
	}
	audit := id.Entry(k.Noun+action, uid.String(), now)
	if of != "" {
		audit.With("of", of)
	}
	return t, k.Insert(ctx, t, once, audit)
}

// Get returns a template. Another tenant's id, an unknown one and that of a
// deleted template are the same fault.
func (k Templates[T]) Get(ctx context.Context, tenantRef, id string) (T, error) {
	t, err := k.Named(ctx, tenantRef, id)
	if err == nil && k.Head(&t).Hidden {
		var none T
		return none, k.Missing()
	}
	return t, err
}

// Named is [Templates.Get] for a record that names the template already: it also
// finds templates that were deleted since.
func (k Templates[T]) Named(ctx context.Context, tenantRef, id string) (t T, err error) {
	uid, err := ParseID(id, k.Missing)
	if err != nil {
		return t, err
	}
	return k.Load(ctx, tenantRef, uid)
}

// Change does one change and returns the template as do left it. do reports
// whether it changed anything. versions, if not nil, are the ones that the change
// may rest on; any other is a PRECONDITION_FAILED fault.
func (k Templates[T]) Change(ctx context.Context, id tenant.Identity, action, templateID string, versions []int64, do func(t *T, now time.Time) (changed bool, err error)) (after T, err error) {
	uid, err := ParseID(templateID, k.Missing)
	if err != nil {
		return after, err
	}
	now := k.Now()
	err = k.Store(ctx, id.Tenant.Reference, uid, id.Entry(k.Noun+"."+action, uid, now), func(t *T) (bool, error) {
		head := k.Head(t)
		if versions != nil && !slices.Contains(versions, head.Version) {
			return false, tenant.Changed("template")
		}
		changed, err := do(t, now)
		if changed {
			head.Version++
			head.UpdatedAt = now
		}
		after = *t
		return changed, err
	})
	return after, err
}

// Delete hides a template permanently. versions are as in [Templates.Change].
func (k Templates[T]) Delete(ctx context.Context, id tenant.Identity, templateID string, versions []int64) error {
	_, err := k.Change(ctx, id, "delete", templateID, versions, func(t *T, _ time.Time) (bool, error) {
		k.Head(t).Hidden = true
		return true, nil
	})
	return err
}

// copySuffix marks the name of a copy.
const copySuffix = " (copy)"

// CopyName returns the name of a copy of the template called name, of at most limit
// characters.
func CopyName(name string, limit int) string {
	if room := limit - utf8.RuneCountInString(copySuffix); utf8.RuneCountInString(name) > room {
		name = string([]rune(name)[:room])
	}
	return name + copySuffix
}

// ParseID returns the id of a record in its one spelling, or missing().
func ParseID(id string, missing func() error) (string, error) {
	uid, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return "", missing()
	}
	return uid.String(), nil
}
