package keyring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tcode/server/platform/durable"
)

// ErrRotating means that another process is changing the keyset.
var ErrRotating = errors.New("another change of the master keyset is under way")

// A KeyInfo is one key of the master keyset.
type KeyInfo struct {
	ID      uint32 // random; begins everything that the key sealed
	Primary bool   // seals; the others only open
}

// Keys lists the keys of the keyset.
func (r *Ring) Keys() []KeyInfo {
	keys, _ := r.current()
	var out []KeyInfo
	for _, k := range keys.Keys {
		out = append(out, KeyInfo{ID: k.ID, Primary: k.ID == keys.Primary})
	}
	return out
}

// Rotate adds a key to the keyset, which seals from now on; the older keys still
// open. If the keyset came from the environment, text is the new one as JSON, for
// the operator to put there. Otherwise text is nil, and Rotate replaces the
// file.
func (r *Ring) Rotate() (text []byte, err error) {
	return r.change("rotate master keyset", keyset.with)
}

// Prune removes all keys but the one that seals. Reseal everything before: data sealed by
// another key does not open any more.
func (r *Ring) Prune() (text []byte, err error) {
	return r.change("prune master keyset", keyset.sealing)
}

// change makes one change at a time, on the newest state of the keyset.
func (r *Ring) change(doing string, do func(keyset) keyset) (text []byte, err error) {
	var file *os.File
	var path string
	if r.path != "" {
		if path, err = durable.Target(r.path); err != nil {
			return nil, fmt.Errorf("%s: %w", doing, err)
		}
		var end func()
		if file, end, err = begin(path); err != nil {
			return nil, fmt.Errorf("%s: %w", doing, err)
		}
		defer end()
	}
	if err := r.follow(); err != nil { // a key that another change added must stay
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if text, err = do(r.keys).text(); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	if file == nil {
		return text, nil
	}
	if err := durable.Replace(file, text, path); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return nil, nil // follow reads the file
}

// begin makes the file that will replace the keyset at path, for one process at a time.
// end removes it, if it still exists. The file of a killed process is overwritten, except
// on systems without locks for folders: there the file itself is the lock.
func begin(path string) (file *os.File, end func(), err error) {
	durable.Sweep(path) // parts from processes killed in [create]
	name := path + ".new"
	unlock, err := durable.LockDir(filepath.Dir(path))
	switch {
	case errors.Is(err, durable.ErrLocked):
		return nil, nil, ErrRotating
	case errors.Is(err, errors.ErrUnsupported):
		unlock = func() error { return nil }
	case err != nil:
		return nil, nil, err
	default:
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, errors.Join(err, unlock())
		}
	}
	if file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%w; if none is, remove the file %s", ErrRotating, name)
		}
		return nil, nil, errors.Join(err, unlock())
	}
	return file, func() {
		file.Close()
		os.Remove(name) // it was renamed, unless there was an error
		unlock()
	}, nil
}

// Reseal returns sealed, sealed again by the key that seals now, and false if that key
// sealed it already.
func (r *Ring) Reseal(sealed []byte, tenant, keyID string) (anew []byte, changed bool, err error) {
	plain, err := r.Open(sealed, tenant, keyID)
	if err != nil {
		return nil, false, err
	}
	keys, _ := r.current()
	if id, ok := sealedBy(sealed); ok && id == keys.Primary {
		return sealed, false, nil
	}
	anew, err = r.Seal(plain, tenant, keyID)
	return anew, err == nil, err
}
