package door

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"tcode/offline/contain"
	"tcode/offline/host/trustjournal"
	"tcode/scanner/web/engine"
	"tcode/scanner/web/engine/keep"
	"tcode/scanner/web/engine/link"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// A phone is a started scanner: its stores, its engine, and the way to its gateway.
type phone struct {
	door   *Door
	trust  *trustjournal.Trust
	scans  *keep.Scans
	notes  *keep.Notes
	engine *engine.Engine
	link   *link.Link
	guest  bool   // nothing is kept, and nothing is sent
	id     string // at the gateway
	kind   string // of the device key

	setting  sync.Mutex // held while the settings change
	mu       sync.Mutex
	settings Settings

	stop context.CancelFunc
	work contain.Group
}

// newPhone opens the stores and begins to send. The phone outlives ctx.
func newPhone(ctx context.Context, d *Door, r request) (*phone, error) {
	p := &phone{door: d}
	if err := p.open(ctx, r); err != nil {
		return nil, errors.Join(err, p.closeStores())
	}
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	if !p.guest {
		p.work.Go("link", func() error { p.link.Run(ctx); return nil })
	}
	return p, nil
}

func (p *phone) open(ctx context.Context, r request) (err error) {
	cfg := p.door.cfg
	if r.Guest {
		cfg, p.guest = guestOf(cfg), true
	}
	if p.scans, err = keep.OpenScans(ctx, cfg.Scans); err != nil {
		return fmt.Errorf("open the scans: %w", err)
	}
	if p.trust, err = trustjournal.Open(ctx, cfg.Trust, cfg.Now); err != nil {
		return fmt.Errorf("open the trust documents: %w", err)
	}
	if p.notes, err = keep.OpenNotes(ctx, cfg.Notes); err != nil {
		return fmt.Errorf("open the notes: %w", err)
	}
	key, kind, err := cfg.Key(ctx)
	if err != nil {
		return fmt.Errorf("device key: %w", err)
	}
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return fmt.Errorf("device key: %T", key.Public())
	}
	p.id, p.kind = wire.ScannerID(public), kind
	if err := p.scans.Do(ctx, func(b *outbox.Book) error { return bind(ctx, b, p.id) }); err != nil {
		return err
	}
	p.settings = loadSettings(p.notes.Settings(), r.Language)
	setup := engine.Config{Trust: p.trust.Book, Scans: p.scans, Policy: p.settings.policy(), Now: cfg.Now, Decode: cfg.Decode}
	if p.guest {
		setup.Scans = nil // no answer is a scan
	}
	if p.engine, err = engine.New(setup); err != nil {
		return err
	}
	agent := "tcode-app"
	if r.Version != "" {
		agent += "/" + r.Version
	}
	p.link = link.New(link.Config{
		Scans: p.scans, Book: p.trust.Book, Key: key, Transport: cfg.Transport, Now: cfg.Now, UserAgent: agent,
		Sync: p.tellSync, Trust: p.tellTrust, Settled: p.tellSettled,
	})
	return nil
}

// bind ties the history to the device key. A browser may lose the key and keep the scans: it keeps the key in its database alone,
// because no program can read it. Without room the history is shown nevertheless: nothing is sent before it is tied.
func bind(ctx context.Context, b *outbox.Book, id string) error {
	err := b.Bind(ctx, id)
	if errors.Is(err, outbox.ErrOtherDevice) {
		err = b.Rebind(ctx, id)
	}
	if outbox.IsFull(err) {
		return nil
	}
	return err
}

// close ends the sender, and closes the stores.
func (p *phone) close() error {
	p.stop()
	p.work.Wait()
	return p.closeStores()
}

func (p *phone) closeStores() error {
	var errs []error
	if p.notes != nil {
		errs = append(errs, p.notes.Close())
	}
	if p.scans != nil {
		errs = append(errs, p.scans.Close())
	}
	if p.trust != nil {
		errs = append(errs, p.trust.Close())
	}
	return errors.Join(errs...)
}

// A State is the result of start.
type State struct {
	ScannerID  string            `json:"scannerId"`
	DeviceName string            `json:"deviceName"`
	Key        string            `json:"key"` // webcrypto or sealed
	Engine     map[string]string `json:"engine"`
	Counts     Counts            `json:"counts"`
	Trust      Trust             `json:"trust"`
	Settings   Settings          `json:"settings"`
	Keeps      bool              `json:"keeps"`
	Storage    any               `json:"storage,omitempty"` // how the stores are kept
	Repaired   string            `json:"repaired,omitempty"`
}

func (p *phone) state(ctx context.Context) (s State, err error) {
	s = State{
		ScannerID: p.id, Key: p.kind, Engine: map[string]string{"version": p.door.cfg.Version, "go": runtime.Version()}, Keeps: !p.guest,
		Settings: p.current(), Repaired: p.trust.Repaired(),
	}
	s.DeviceName = s.Settings.DeviceName
	if p.door.cfg.Storage != nil && !p.guest {
		s.Storage = p.door.cfg.Storage()
	}
	if s.Counts, err = p.counts(ctx); err != nil {
		return s, err
	}
	s.Trust, err = p.trustNow(ctx)
	return s, err
}
