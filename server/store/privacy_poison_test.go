package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"tcode/server/privacy"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// poisoned is a store on which work fails for one tenant, and for one file each time.
type poisoned struct {
	*store.DB
	swept map[string]bool
	file  string
	tries int
}

func (p *poisoned) Sweep(ctx context.Context, tenantRef string, k privacy.Kind, before time.Time) (int, bool, error) {
	switch {
	case tenantRef == "ACME01" && k == privacy.History:
		return 0, false, errors.New("always")
	case tenantRef == "ACME01":
		panic("always")
	}
	p.swept[tenantRef] = true
	return p.DB.Sweep(ctx, tenantRef, k, before)
}

func (p *poisoned) ForgetFile(ctx context.Context, f privacy.LeavingFile) error {
	if p.file == "" || p.file == f.SHA256 {
		p.file = f.SHA256
		p.tries++
		return errors.New("always")
	}
	return p.DB.ForgetFile(ctx, f)
}

// TestPoisonInRetention: a tenant whose sweep fails, and a file that cannot be removed, cost
// neither other tenants nor other files.
//
//engine:sqlite the store fails above both engines
func TestPoisonInRetention(t *testing.T) {
	t.Parallel()
	b := storetest.NewOn(t, storetest.SQLite)
	b.Tenant(t, "Acme", "ACME01")
	id := b.Tenant(t, "Other", "OTHER1")
	p := &poisoned{DB: b.DB, swept: map[string]bool{}}
	s, ctx := privacyOf(b, p), t.Context()
	for _, ref := range []string{"ACME01", "OTHER1"} {
		if err := s.SetRetention(ctx, ref, id.By(), privacy.Settings{privacy.Originals: 1, privacy.Stamped: 30, privacy.History: 30}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"one", "two", "three"} {
		b.Stamp(t, id, name)
	}
	b.Clock.Add(60 * 24 * time.Hour)
	if err := s.Sweep(ctx); err == nil {
		t.Error("no error")
	}
	if !p.swept["OTHER1"] {
		t.Error("the other tenant was not swept")
	}
	if left := counted(t, b, `leaving_files`); left != 1 || p.tries != 1 {
		t.Errorf("%d files are left after %d tries of one, want that one", left, p.tries)
	}
}
