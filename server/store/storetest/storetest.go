// Package storetest sets up a gateway's domain in a temporary folder, for tests: a real
// database, real files, real keys. Only the PDF engine is a stand-in. The database is
// SQLite, or PostgreSQL in a temporary cluster that exists as long as the test process.
// Call [New] first.
//
//	New(t), NewOn(t, engine) ─▶ store, keyring, blob ─▶ publish ─▶ tenant, refdata ─▶ stamp, verify
package storetest

import (
	"context"
	"crypto/sha256"
	"io"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tcode/offline/geometry"
	"tcode/server/account"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/blob"
	"tcode/server/platform/keyring"
	"tcode/server/platform/spool"
	"tcode/server/publish"
	"tcode/server/refdata"
	"tcode/server/store"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// Clock is a clock that tests set by hand.
type Clock struct {
	mu sync.Mutex
	t  time.Time
}

// NewClock returns a clock that stands at t.
func NewClock(t time.Time) *Clock { return &Clock{t: t} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

// Add moves the clock.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// Bundle is a whole domain.
type Bundle struct {
	Dir     string
	Clock   *Clock
	DB      *store.DB
	Ring    *keyring.Ring
	Blobs   *blob.Store
	Spool   *spool.Folder
	Publish *publish.Publisher
	Tenants *tenant.Service
	Ref     *refdata.Service
	Stamps  *stamp.Service

	Placements *placement.Service
	Templates  *tdoc.Service

	Accounts *account.Service

	Trust  *trustdoc.Service
	Verify *verify.Service
	// StampConfig is the configuration of Stamps, for tests that change one part.
	StampConfig stamp.Config
}

// New returns a domain in a new folder, with the starter set of document types. The end of
// the test closes it.
func New(t testing.TB) *Bundle {
	t.Helper()
	return NewOn(t, DefaultEngine())
}

// NewOn is [New] on an engine.
func NewOn(t testing.TB, e Engine) *Bundle {
	t.Helper()
	dir := t.TempDir()
	Begin(t, e, dir)
	return Open(t, dir, NewClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)))
}

// Open returns the domain of a folder, as a restarted gateway would find it.
func Open(t testing.TB, dir string, clock *Clock) *Bundle {
	t.Helper()
	db, err := store.Open(context.Background(), Database(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return Over(t, db, dir, clock)
}

// Over returns the domain of a folder over an open database.
func Over(t testing.TB, db *store.DB, dir string, clock *Clock) *Bundle {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	b := &Bundle{Dir: dir, Clock: clock, DB: db}
	var err error
	b.Ring, err = keyring.Open(dir, "")
	must(err)
	b.Blobs, err = blob.Open(filepath.Join(dir, "files"))
	must(err)
	t.Cleanup(func() { b.Blobs.Close() })
	b.Spool, err = spool.Open(filepath.Join(dir, "spool"))
	must(err)
	b.Publish, err = publish.New(ctx, publish.Config{Store: b.DB, Ring: b.Ring, Now: clock.Now})
	must(err)
	b.Tenants = tenant.New(b.DB, b.Ring, b.Publish.Notify, clock.Now)
	b.Accounts = account.New(account.Config{Store: b.DB, Sealer: b.Ring, Tenants: b.Tenants, Now: clock.Now})
	b.Ref = refdata.New(b.DB, b.Publish.Notify, clock.Now)
	must(b.Ref.Seed(ctx))
	b.Placements, b.Templates = placement.New(b.DB, clock.Now), tdoc.New(b.DB, b.Ref, clock.Now)
	b.StampConfig = stamp.Config{
		Store: b.DB, Blobs: b.Blobs, Spool: b.Spool, Stamper: Stamper{}, Readback: Readback{}, Keys: b.Tenants, DocumentTypes: b.Ref,
		Placements: b.Placements, Templates: b.Templates,
		Notify: b.Publish.Notify, Now: clock.Now,
	}
	b.Stamps = stamp.New(b.StampConfig)
	b.Trust = trustdoc.NewService(trustdoc.Config{
		Store: b.DB, Stamps: b.Stamps, Blobs: b.Blobs, Spool: b.Spool, Keys: b.Tenants, DocumentTypes: b.Ref, Placements: b.Placements, Stamper: b.StampConfig.Stamper,
		Notify: b.Publish.Notify, Now: clock.Now,
	})
	b.Verify = verify.New(verify.Config{Store: b.DB, Receipts: b.Publish, Now: clock.Now})
	return b
}

// Tenant makes a tenant with an API key, and returns the key's identity.
func (b *Bundle) Tenant(t testing.TB, name, reference string) tenant.Identity {
	t.Helper()
	ctx := context.Background()
	tn, err := b.Tenants.CreateTenant(ctx, name, reference)
	if err != nil {
		t.Fatal(err)
	}
	k, err := b.Tenants.CreateKey(ctx, tn.Reference, tenant.KeyOptions{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	id, err := b.Tenants.Authenticate(ctx, k.Secret)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// User makes an active user of ACME01.
func (b *Bundle) User(t testing.TB, email string, role account.Role) account.User {
	t.Helper()
	ctx := context.Background()
	inv, err := b.Accounts.Create(ctx, account.Spec{Tenant: "ACME01", Email: email, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Accounts.Accept(ctx, inv.Token, "correct horse battery", account.From{}); err != nil {
		t.Fatal(err)
	}
	inv.State = account.Active
	return inv.User
}

// Stamp makes a stamp named name.
func (b *Bundle) Stamp(t testing.TB, id tenant.Identity, name string) stamp.Stamp {
	t.Helper()
	st, err := b.Stamps.Create(context.Background(), id, Request(name))
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// Request returns a valid request for a stamp.
func Request(name string) stamp.Request {
	return stamp.Request{Name: name, DocumentTypeCode: "DIP", PDF: PDF("% " + name)}
}

// PDF returns an uploaded file with little more than text.
func PDF(text string) *spool.Upload { return spool.Bytes([]byte("%PDF-1.7\n" + text + "\n%%EOF\n")) }

// Stamper is a stand-in for the PDF engine: it appends the symbol's text to the file and
// uses the hash of the original as its fingerprint. If Fault is set, it refuses every file
// with it.
type Stamper struct {
	Fault *fault.Fault
}

var _ stamp.Stamper = Stamper{}

// Stamp appends the text.
func (s Stamper) Stamp(_ context.Context, job stamp.Job) (stamp.Drawn, error) {
	if s.Fault != nil {
		return stamp.Drawn{}, s.Fault
	}
	sum := sha256.New()
	_, _ = sum.Write(job.Reference[:])
	if _, err := io.Copy(sum, io.NewSectionReader(job.PDF, 0, job.PDF.Size())); err != nil {
		return stamp.Drawn{}, err
	}
	text, err := job.Seal([16]byte(sum.Sum(nil)[:16]))
	if err != nil {
		return stamp.Drawn{}, err
	}
	return stamp.Drawn{Revision: []byte("% " + text + "\n"), Places: []geometry.Place{place(job)}, Modules: job.Side, Beneath: job.Beneath}, nil
}

// BarcodePNG returns the text itself.
func (Stamper) BarcodePNG(text string) ([]byte, error) { return []byte(text), nil }
