//go:build !js

package uplink

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// pemType is the block type of PKCS#8 (RFC 5958).
const pemType = "PRIVATE KEY"

// LoadKey reads the device's Ed25519 key from a PKCS#8 PEM file. If there is
// none, it makes one, mode 0600 in a folder of mode 0700. Two processes that
// make it concurrently get the same one. wire.ScannerID names the device by
// this key, so losing the file makes a new device.
func LoadKey(path string) (ed25519.PrivateKey, error) {
	key, err := ReadKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := makeKey(path); err != nil {
		return nil, fmt.Errorf("make device key: %w", err)
	}
	return ReadKey(path)
}

// ReadKey reads the device's key and never makes one: if there is none, the
// error is an [fs.ErrNotExist].
func ReadKey(path string) (ed25519.PrivateKey, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read device key: %w", err)
	}
	block, rest := pem.Decode(raw)
	if block == nil || block.Type != pemType || len(rest) > 0 {
		return nil, fmt.Errorf("read device key: %w: %s is not one PEM block", ErrKey, path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read device key: %w: %w", ErrKey, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("read device key: %w: %T", ErrKey, parsed)
	}
	return key, nil
}

// makeKey writes a new key to the folder of path and links it to path, which
// fails if another process was first: then that key counts.
func makeKey(path string) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".device-key-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = errors.Join(pem.Encode(f, &pem.Block{Type: pemType, Bytes: der}), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(f.Name(), path) // FAT has no links
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	syncDir(dir)
	return nil
}

// syncDir makes a new name in dir survive a power cut. Some systems cannot sync
// a folder; the worst case is a new device at the next start.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
