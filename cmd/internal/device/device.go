package device

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"tcode/offline"
	"tcode/offline/host/cache"
	"tcode/scanner"
	"tcode/scanner/caveat"
	"tcode/scanner/raster"
	"tcode/sync/outbox"
	"tcode/sync/uplink"
	"tcode/sync/wire"
)

// Config describes a Device. The comments give the meaning of zero fields.
type Config struct {
	Home   string           // folder of the device's state; made if absent
	Copy   bool             // work on a copy in memory: the home folder is only read, and may not exist
	Policy offline.Policy   // zero: the default ages, no test documents
	Now    func() time.Time // nil: [time.Now]
	// Boot reads the boot-time clock. nil: this machine's.
	Boot func() offline.Boot
	// RefreshTimeout bounds a refresh, or an enrolment, as a whole; 0:
	// feed.DefaultTimeout.
	RefreshTimeout time.Duration
	// DocumentTime bounds the processor time of reading one document, like
	// scanner.Config.Budget; 0: its default.
	DocumentTime time.Duration
	Log          *slog.Logger    // nil: silent
	Raster       []raster.Option // how to draw PDF pages; empty: as [raster.New] does
	// Compare draws a PDF with two engines and returns as caveats the differences
	// and the parts that were not compared. nil: the device cannot compare.
	Compare func(ctx context.Context, name string, data []byte) ([]caveat.Caveat, error)
}

// A Device is one scanner: an open home folder and a reader. It is safe for
// concurrent use. Several processes may have one home open; only one of them at
// a time sends.
type Device struct {
	Cache  *cache.Cache
	Outbox *outbox.Outbox

	cfg     Config
	key     ed25519.PrivateKey // nil only with Config.Copy, if it could not be read
	id      string             // if there is no key
	scanner *scanner.Scanner
}

// Open opens the home folder. It uses no network and starts no process: the
// children that read documents start with the first document.
func Open(ctx context.Context, cfg Config) (*Device, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Boot == nil {
		cfg.Boot = readBoot
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Device{cfg: cfg}
	open := s.open
	if cfg.Copy {
		open = s.openCopy
	}
	if err := open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.scanner = scanner.New(scanner.Config{Raster: cfg.Raster, Budget: cfg.DocumentTime, Log: cfg.Log})
	return s, nil
}

func (s *Device) open(ctx context.Context) (err error) {
	home := s.cfg.Home
	if err := os.MkdirAll(home, 0o700); err != nil {
		return fmt.Errorf("make home folder: %w", err)
	}
	if s.key, err = uplink.LoadKey(filepath.Join(home, "device.key")); err != nil {
		return err
	}
	if s.Cache, err = cache.Open(ctx, filepath.Join(home, "trust.db")); err != nil {
		return fmt.Errorf("open trust state: %w", err)
	}
	if s.Outbox, err = outbox.Open(ctx, filepath.Join(home, "outbox.db")); err != nil {
		return fmt.Errorf("open outbox: %w", err)
	}
	return s.Outbox.Bind(ctx, s.ScannerID())
}

// Close ends the reader's children and closes the databases.
func (s *Device) Close() error {
	var errs []error
	if s.scanner != nil {
		errs = append(errs, s.scanner.Close())
	}
	if s.Outbox != nil {
		errs = append(errs, s.Outbox.Close())
	}
	if s.Cache != nil {
		errs = append(errs, s.Cache.Close())
	}
	return errors.Join(errs...)
}

// ScannerID returns the device's name at the gateway: dev_ and its key's hash.
// It is empty for a copy of a home folder without one.
func (s *Device) ScannerID() string {
	if s.key == nil {
		return s.id
	}
	return wire.ScannerID(s.key.Public().(ed25519.PublicKey))
}

// Home returns the folder of the device's state.
func (s *Device) Home() string { return s.cfg.Home }

// Now returns the time of the device's clock.
func (s *Device) Now() time.Time { return s.cfg.Now() }

// DefaultHome returns the default folder of a user's scanner state: tcode-scan
// below the user's data directory (XDG base directory specification on Unix,
// Application Support on macOS, the local application data on Windows).
func DefaultHome() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "tcode-scan"), nil
	}
	if dir := os.Getenv("LOCALAPPDATA"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "tcode-scan"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the home folder: %w (name one with --home)", err)
	}
	dir := filepath.Join(home, ".local", "share", "tcode-scan")
	if runtime.GOOS == "darwin" { // earlier versions used the folder above there too
		if _, err := os.Stat(dir); err != nil {
			dir = filepath.Join(home, "Library", "Application Support", "tcode-scan")
		}
	}
	return dir, nil
}
