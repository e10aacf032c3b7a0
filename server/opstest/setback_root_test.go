package opstest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tcode/offline/trust"
	"tcode/server"
	"tcode/server/ceremony"
	"tcode/server/publish"
	"tcode/server/store"
)

// rotateOnline publishes the next root, with a new online key.
func rotateOnline(t *testing.T, g *server.Gateway, prev *trust.Root, before ...[]byte) []byte {
	t.Helper()
	now, err := g.Publisher.Authority(t.Context())
	must(t, err)
	if prev == nil {
		prev = &now.Root
	}
	key, err := g.Publisher.NewOnlineKey(t.Context())
	must(t, err)
	text, err := ceremony.Next(g.Publisher.Fingerprint(), *prev, ceremony.Change{
		Online: key, Expires: time.Now().UTC().Truncate(time.Second).Add(publish.RootLife),
	})
	must(t, err)
	raw, err := g.Publisher.SignRoot(t.Context(), text)
	must(t, err)
	_, err = g.Publisher.PublishRoots(t.Context(), append(before, raw)...)
	must(t, err)
	return raw
}

// TestSetBackBeforeARoot: a gateway notices a database file that is older than the
// newest root, whatever versions its documents have. It does not publish, even if
// an operator agrees, until the lost roots are back and a newer one follows them.
//
//engine:sqlite its gateway runs on SQLite
func TestSetBackBeforeARoot(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	open := func() *server.Gateway {
		t.Helper()
		g, err := server.Open(t.Context(), server.Config{Init: true, Data: data})
		must(t, err)
		return g
	}
	g := open()
	// The clock ran ahead before: the old key's versions are the higher ones.
	must(t, g.Close())
	ahead, err := server.Open(t.Context(), server.Config{Init: true, Data: data, Now: func() time.Time { return time.Now().AddDate(0, 6, 0) }})
	must(t, err)
	_, err = ahead.Publisher.Publish(t.Context())
	must(t, err)
	must(t, ahead.Close())
	path := filepath.Join(data, store.FileName)
	old, err := os.ReadFile(path)
	must(t, err)

	g = open()
	lost := rotateOnline(t, g, nil)
	must(t, g.Close())
	g = open() // a newer root is not a set-back, although its versions are lower
	_, err = g.Publisher.Publish(t.Context())
	must(t, err)
	must(t, g.Close())

	must(t, os.WriteFile(path, old, 0o600))
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	g = open()
	defer func() { g.Close() }()
	if _, err := g.Publisher.Publish(t.Context()); !errors.Is(err, publish.ErrRestored) {
		t.Errorf("Publish = %v, want ErrRestored", err)
	}
	agree := func() (server.FsckReport, error) {
		problem := func(p store.Problem) { t.Errorf("%+v", p) }
		r, err := g.Fsck(t.Context(), server.FsckOptions{}, problem)
		if err != nil {
			return r, err
		}
		return g.Fsck(t.Context(), server.FsckOptions{UncoveredSince: r.Span.From}, problem)
	}
	if _, err := agree(); !errors.Is(err, publish.ErrRootsLost) {
		t.Errorf("Fsck = %v, want ErrRootsLost", err)
	}
	if _, err := g.Publisher.PublishRoots(t.Context(), lost); !errors.Is(err, publish.ErrOnlineKey) {
		t.Errorf("the lost root alone: %v, want ErrOnlineKey: its key was lost with the database", err)
	}
	_, prev, err := trust.ReadRoot(lost)
	must(t, err)
	rotateOnline(t, g, &prev, lost)
	if _, err := g.Publisher.Publish(t.Context()); !errors.Is(err, publish.ErrRestored) {
		t.Errorf("Publish before the restore is agreed to = %v, want ErrRestored", err)
	}
	if r, err := agree(); err != nil || !r.Agreed {
		t.Fatalf("Fsck = %+v, %v", r, err)
	}
	must(t, g.Close())
	g = open()
	if did, err := g.Publisher.Publish(t.Context()); err != nil || !did {
		t.Errorf("Publish = %v, %v", did, err)
	}
}
