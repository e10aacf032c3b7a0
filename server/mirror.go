package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"tcode/offline/digest"
	"tcode/offline/trust"
	"tcode/server/fault"
	"tcode/server/platform/durable"
)

// mirrorPath is the path of the trust store below a mirror's folder, as below a gateway's
// address.
const mirrorPath = "v1/reference-data/trust-store"

// mirrorKeeps is the time for which a mirror keeps superseded files, for devices and
// copies of the mirror with an older timestamp.
const mirrorKeeps = 24 * time.Hour

// A MirrorReport is the result of [Gateway.Mirror].
type MirrorReport struct {
	Version uint64 // of the timestamp
	Files   int    // published now
	Written int    // of these
	Removed int    // not published for a day
}

// mirror is one run of Mirror.
type mirror struct {
	*Gateway
	dir    string // of the trust store
	live   map[string]bool
	report MirrorReport
}

// Mirror writes the files that scanners fetch below dir, for any web server: all
// but the time, which a mirror cannot sign. Existing objects are not written
// again, and the timestamp comes last, so that devices may fetch concurrently.
// With prune, it checks all files, and removes those that have not been published
// for a day.
func (g *Gateway) Mirror(ctx context.Context, dir string, prune bool) (MirrorReport, error) {
	m := &mirror{Gateway: g, dir: filepath.Join(dir, filepath.FromSlash(mirrorPath)), live: map[string]bool{}}
	err := m.run(ctx, prune)
	if err == nil && prune {
		err = m.prune(time.Now())
	}
	if err != nil {
		return m.report, fmt.Errorf("mirror to %s: %w", dir, err)
	}
	return m.report, nil
}

// run writes the published files; with all even if the timestamp, which comes last, exists
// already.
func (m *mirror) run(ctx context.Context, all bool) error {
	for _, sub := range []string{"root", "packs"} {
		if err := os.MkdirAll(filepath.Join(m.dir, sub), 0o755); err != nil {
			return err
		}
	}
	raw, err := m.Publisher.Timestamp(ctx)
	if err != nil {
		return err
	}
	online, err := m.roots(ctx)
	if err != nil {
		return err
	}
	if there, err := os.ReadFile(filepath.Join(m.dir, "timestamp")); !all && err == nil && bytes.Equal(there, raw) {
		return nil
	}
	fp := m.Publisher.Fingerprint()
	ts, err := trust.ParseTimestamp(fp, online, raw)
	if err != nil {
		return err
	}
	m.report.Version = ts.Version
	if err := m.bundle(ctx, fp, online, ts.Bundle.SHA256); err != nil {
		return err
	}
	if err := m.status(ctx, fp, online, ts.Status.SHA256); err != nil {
		return err
	}
	return m.write("timestamp", raw)
}

// roots writes all roots and returns the online key that the last one names.
func (m *mirror) roots(ctx context.Context) (trust.VerifierKey, error) {
	var last trust.Root
	for version := uint64(1); ; version++ {
		raw, err := m.Publisher.Root(ctx, version)
		if fault.Is(err, fault.NotFound) {
			return last.Online, nil
		}
		if err != nil {
			return last.Online, err
		}
		if _, last, err = trust.ReadRoot(raw); err != nil {
			return last.Online, err
		}
		if err := m.write("root/"+strconv.FormatUint(version, 10), raw); err != nil {
			return last.Online, err
		}
	}
}

// bundle writes the bundle and the survivor lists that it names.
func (m *mirror) bundle(ctx context.Context, fp trust.Fingerprint, online trust.VerifierKey, hash digest.SHA256) error {
	raw, err := m.object(ctx, hash.String())
	if err != nil {
		return err
	}
	b, err := trust.ParseBundle(fp, online, raw)
	if err != nil {
		return err
	}
	for _, list := range b.SurvivorLists() {
		if _, err := m.object(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// status writes the status document, its delta, its packs, and their shards one by
// one and by packs.
func (m *mirror) status(ctx context.Context, fp trust.Fingerprint, online trust.VerifierKey, hash digest.SHA256) error {
	raw, err := m.object(ctx, hash.String())
	if err != nil {
		return err
	}
	s, err := trust.ParseStatus(fp, online, raw)
	if err != nil {
		return err
	}
	if _, err := m.object(ctx, s.Delta.SHA256.String()); err != nil {
		return err
	}
	for _, hash := range s.Packs {
		name := hash.String()
		raw, err := m.object(ctx, name)
		if err != nil {
			return err
		}
		pack, err := trust.ParsePack(raw)
		if err != nil {
			return err
		}
		for _, hash := range pack {
			if err := m.once(hash.String(), func(name string) ([]byte, error) { return m.fetch(ctx, name) }); err != nil {
				return err
			}
		}
		err = m.once("packs/"+name, func(string) ([]byte, error) { return m.Publisher.Pack(ctx, name) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *mirror) fetch(ctx context.Context, name string) ([]byte, error) {
	raw, _, err := m.Publisher.Object(ctx, name)
	return raw, err
}

// object writes an object, unless it exists, and returns it.
func (m *mirror) object(ctx context.Context, name string) ([]byte, error) {
	raw, err := m.fetch(ctx, name)
	if err != nil {
		return nil, err
	}
	return raw, m.once(name, func(string) ([]byte, error) { return raw, nil })
}

// once writes a file whose content never changes, unless it exists.
func (m *mirror) once(name string, get func(name string) ([]byte, error)) error {
	if info, err := os.Stat(filepath.Join(m.dir, filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() {
		m.note(name)
		return nil
	}
	raw, err := get(name)
	if err != nil {
		return err
	}
	return m.write(name, raw)
}

func (m *mirror) note(name string) {
	if !m.live[name] {
		m.live[name] = true
		m.report.Files++
	}
}

// write puts a file in place for all users to read, unless it already has these contents.
func (m *mirror) write(name string, raw []byte) error {
	m.note(name)
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, raw) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return err
	}
	err = durable.Fill(f, raw, f.Name())
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	m.report.Written++
	return nil
}

// prune touches the published files and removes those that were not touched for a day.
func (m *mirror) prune(now time.Time) error {
	for name := range m.live {
		if err := os.Chtimes(filepath.Join(m.dir, filepath.FromSlash(name)), now, now); err != nil {
			return err
		}
	}
	return filepath.WalkDir(m.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(m.dir, path)
		if err != nil || m.live[filepath.ToSlash(name)] {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && now.Sub(info.ModTime()) < mirrorKeeps {
			return nil
		}
		if err == nil {
			err = os.Remove(path)
		}
		m.report.Removed++
		return err
	})
}
