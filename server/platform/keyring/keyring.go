// Package keyring seals secrets for the database with AES-256-GCM, bound to their
// tenant and key, so that a row moved to another tenant does not open. Call [Open]
// first.
//
//	master keyset (file, 0600, or environment) ─▶ Ring
//	                 Seal(plain, tenant, key id) ─▶ bytes in a column
//	                 Open(bytes, tenant, key id) ─▶ plain, or ErrSealed
//
//	Rotate ─▶ a new key seals, old ones still open ─▶ Reseal every row ─▶ Prune
//
// A ring follows its file: if the keyset is rotated, a running gateway seals by the new
// key from then on. Signing keys may instead live in a PKCS #11 token ([Token]); then only
// their names are sealed.
package keyring

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"tcode/server/fault"
	"tcode/server/platform/durable"
)

// FileName is the master keyset's name in the data folder.
const FileName = "master.keyset.json"

// EnvName is the environment variable that holds the master keyset itself, as
// JSON, where there is no file.
const EnvName = "TCODE_MASTER_KEYSET"

// The reasons why a keyring does not open.
var (
	// ErrSealed means that the bytes were not sealed by this keyset for this tenant and key,
	// or were changed since.
	ErrSealed = errors.New("does not open with this master keyset")
	// ErrKeyset means that the bytes are not a master keyset.
	ErrKeyset = errors.New("not a master keyset")
	// ErrMode means that other users can read the master keyset's file.
	ErrMode = errors.New("the master keyset's file must be readable by its owner only")
)

// A Ring seals and opens. It is safe for concurrent use.
type Ring struct {
	path string // of the keyset's file; "" for one from the environment

	mu      sync.Mutex // guards the rest; held while the file is read again
	keys    keyset
	ciphers ciphers
	read    fs.FileInfo // of the file as it was read
}

// Exists reports whether a data folder has a file of a keyset.
func Exists(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// maxKeyset is far above the size of any keyset.
const maxKeyset = 1 << 20

// Open returns the ring of a data folder. env is the keyset's text from
// [EnvName] and has priority over the file, which is made at first use, with
// mode 0600.
func Open(dir, env string) (*Ring, error) {
	if env != "" {
		return parse([]byte(env))
	}
	r := &Ring{path: filepath.Join(dir, FileName)}
	_, err := os.Stat(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(r.path); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, fmt.Errorf("open master keyset: %w", err)
	}
	if err := r.load(); err != nil {
		return nil, err
	}
	return r, nil
}

// load reads the file. r.mu is held, or r is not shared yet.
func (r *Ring) load() error {
	f, err := os.Open(r.path)
	if err != nil {
		return fmt.Errorf("open master keyset: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("open master keyset: %w", err)
	}
	if modeTooWide(info) {
		return fmt.Errorf("%s: %w", r.path, ErrMode)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxKeyset))
	if err != nil {
		return fmt.Errorf("open master keyset: %w", err)
	}
	next, err := parse(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	r.keys, r.ciphers, r.read = next.keys, next.ciphers, info
	return nil
}

// current returns the keyset and its ciphers as they are now: another process may have
// rotated it. If the file cannot be read, it returns those from before.
func (r *Ring) current() (keyset, ciphers) {
	_ = r.follow()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.keys, r.ciphers
}

// follow reads the file again if it has changed. The error says why it cannot be
// read.
func (r *Ring) follow() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.path == "" {
		return nil
	}
	info, err := os.Stat(r.path)
	if err != nil {
		return fmt.Errorf("open master keyset: %w", err)
	}
	if !changed(info, r.read) {
		return nil
	}
	return r.load()
}

// Ready returns the reason why the present keyset cannot seal or open: for example, this
// process cannot read its file. Keys that were added to the file meanwhile are then
// unknown, and data sealed by them does not open.
func (r *Ring) Ready() error {
	if err := r.follow(); err != nil {
		return err
	}
	const tenant, id = "", "ready"
	sealed, err := r.Seal([]byte(id), tenant, id)
	if err == nil {
		_, err = r.Open(sealed, tenant, id)
	}
	return err
}

// changed reports whether a file is a different one. Files are only ever replaced (see
// replace), but a second replacement may get the inode number of the file before the
// first.
func changed(is, was fs.FileInfo) bool {
	return !os.SameFile(is, was) || !is.ModTime().Equal(was.ModTime()) || is.Size() != was.Size()
}

func parse(raw []byte) (*Ring, error) {
	keys, c, err := parseKeyset(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyset, err)
	}
	return &Ring{keys: keys, ciphers: c}, nil
}

// create makes a new keyset file. It writes it completely under another name and then
// links it, so that one of two starting gateways wins and the other reads the
// winner's.
func create(path string) (err error) {
	text, err := keyset{}.with().text()
	if err != nil {
		return fmt.Errorf("make master keyset: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), FileName+".*.part") // mode 0600
	if err != nil {
		return fmt.Errorf("make master keyset: %w", err)
	}
	defer os.Remove(f.Name())
	if err := durable.Fill(f, text, path); err != nil {
		return fmt.Errorf("make master keyset: %w", err)
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make master keyset: %w", err)
	}
	return durable.SyncDir(filepath.Dir(path))
}

// Seal encrypts plain for one key of one tenant.
func (r *Ring) Seal(plain []byte, tenant, keyID string) ([]byte, error) {
	_, c := r.current()
	return c.seal(plain, associated(tenant, keyID)), nil
}

// Open returns the plain bytes sealed for that tenant and key. The error is [ErrSealed] if
// they were sealed for others, or by another keyset.
func (r *Ring) Open(sealed []byte, tenant, keyID string) ([]byte, error) {
	unread := r.follow()
	_, c := r.current()
	plain, err := c.open(sealed, associated(tenant, keyID))
	if err != nil && unread != nil {
		// A key that was added meanwhile may open it.
		return nil, fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "the gateway cannot open its keys at present").
			WithErr(fmt.Errorf("open %s: %w", keyID, unread))
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", keyID, err)
	}
	return plain, nil
}

// associated joins tenant and key id with their lengths, so that no two pairs
// give the same bytes.
func associated(tenant, keyID string) []byte {
	b := []byte("TCode/1 sealed")
	for _, s := range []string{tenant, keyID} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	return b
}
