package trust_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"tcode/offline/host/cache"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/sync/feed"
	"tcode/sync/transport/nethttp"
)

// refusals are all reasons for a refusal.
var refusals = []error{
	trust.ErrSyntax, trust.ErrTypeLine, trust.ErrForeignRoot, trust.ErrForeignKey, trust.ErrSignature, trust.ErrThreshold, trust.ErrTooLarge, trust.ErrHash,
	trust.ErrVersion, trust.ErrRollback, trust.ErrConflict, trust.ErrIncomplete, trust.ErrRootChain, trust.ErrTooManyRoots, trust.ErrFingerprint,
	feed.ErrTooLarge, trustbook.ErrExport, statuslist.ErrDeflate, statuslist.ErrCompact, statuslist.ErrSize,
}

// A target is a device that holds version 100 and receives a forged set.
type target struct {
	cache *cache.Cache
	feed  *feed.Feed
	held  []byte // its whole state, as an export file
}

func newTarget(t *testing.T, gateway string) *target {
	t.Helper()
	c, err := cache.Open(t.Context(), filepath.Join(t.TempDir(), "trust.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	d := &target{cache: c}
	if d.feed, err = feed.New(feed.Config{Book: c.Book, Transport: nethttp.New(nil), Gateway: gateway}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Import(t.Context(), bytes.NewReader(newDocs(100, 0).assemble().file()), nil); err != nil {
		t.Fatal(err)
	}
	d.held = d.state(t)
	return d
}

func (d *target) state(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := d.cache.Export(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// refused checks that a forged set was not accepted, the state is unchanged,
// and a reason is given.
func (d *target) refused(t *testing.T, c falsehood, err error) {
	t.Helper()
	status := new(feed.StatusError)
	known := errors.As(err, &status)
	for _, reason := range refusals {
		known = known || errors.Is(err, reason)
	}
	switch {
	case err == nil:
		t.Errorf("%s: accepted", c.name)
	case !known:
		t.Errorf("%s: %v is no reason", c.name, err)
	case c.want != nil && !errors.Is(err, c.want) && !errors.Is(err, trustbook.ErrExport):
		t.Errorf("%s: %v, want %v", c.name, err, c.want)
	}
	if !bytes.Equal(d.state(t), d.held) {
		t.Fatalf("%s: the state has changed", c.name)
	}
}

// TestForgedTrustDocuments: the device accepts none of the forgeries, by a
// mirror or in a file, gives the reason for each, and keeps its state;
// afterwards it accepts genuine documents.
func TestForgedTrustDocuments(t *testing.T) {
	t.Parallel()
	m := newForger(t)
	byMirror, byFile := newTarget(t, m.url), newTarget(t, "")
	names := map[string]bool{}
	for _, c := range forgeries() {
		if names[c.name] {
			t.Errorf("%s is there twice", c.name)
		}
		names[c.name] = true
		f := c.docs.assemble()
		m.now = f
		_, err := byMirror.feed.Refresh(t.Context())
		byMirror.refused(t, c, err)
		attempt, noted := byMirror.cache.LastAttempt(t.Context())
		if noted != nil || attempt.Error == "" || err != nil && !strings.HasSuffix(err.Error(), attempt.Error) {
			t.Errorf("%s: noted %q, %v; refused by %v", c.name, attempt.Error, noted, err)
		}
		_, err = byFile.cache.Import(t.Context(), bytes.NewReader(f.file()), nil)
		byFile.refused(t, c, err)
	}
	if len(names) < 200 {
		t.Errorf("%d forgeries, want at least 200", len(names))
	}
	m.now = next().assemble()
	if _, err := byMirror.feed.Refresh(t.Context()); err != nil {
		t.Errorf("the genuine documents from a mirror: %v", err)
	}
	if _, err := byFile.cache.Import(t.Context(), bytes.NewReader(m.now.file()), nil); err != nil {
		t.Errorf("the genuine documents in a file: %v", err)
	}
	if bytes.Equal(byMirror.state(t), byMirror.held) || !bytes.Equal(byMirror.state(t), byFile.state(t)) {
		t.Error("the genuine documents changed nothing, or not the same")
	}
	t.Logf("%d forgeries by a mirror and by a file, 0 accepted", len(names))
}
