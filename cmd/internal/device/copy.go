package device

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"tcode/offline/host/cache"
	"tcode/offline/host/litedb"
	"tcode/sync/outbox"
	"tcode/sync/uplink"
)

// openCopy reads the home folder into memory. It does not need the device key,
// because a copy sends nothing.
func (s *Device) openCopy(ctx context.Context) (err error) {
	home := s.cfg.Home
	info, err := os.Stat(home)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: home, Err: errors.New("it is not a folder")}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read home folder: %w", err)
	}
	if s.Cache, err = cache.OpenCopy(ctx, filepath.Join(home, "trust.db")); err != nil {
		return fmt.Errorf("read trust state: %w", err)
	}
	// The newest scan is a floor of the clock: the device does not verify without it.
	if s.Outbox, err = outbox.OpenCopy(ctx, filepath.Join(home, "outbox.db")); err != nil {
		return fmt.Errorf("read outbox: %w", err)
	}
	if s.key, err = uplink.ReadKey(filepath.Join(home, "device.key")); err == nil {
		return s.Outbox.Bind(ctx, s.ScannerID())
	}
	s.id, err = s.Outbox.BoundTo(ctx)
	return err
}

// Keeps reports whether this device stores its scans: whether it is not a copy.
func (s *Device) Keeps() bool { return !s.cfg.Copy }

// NotKept reports whether err means that nothing can be stored in the home
// folder: it cannot be written, or its disk is full.
func NotKept(err error) bool {
	causes := []error{fs.ErrPermission, syscall.EROFS, syscall.ENOSPC}
	if runtime.GOOS == "windows" { // winerror.h: write-protected, and two words for a full disk
		causes = append(causes, syscall.Errno(19), syscall.Errno(39), syscall.Errno(112))
	}
	for _, cause := range causes {
		if errors.Is(err, cause) {
			return true
		}
	}
	return litedb.IsReadOnly(err) || litedb.IsFull(err)
}
