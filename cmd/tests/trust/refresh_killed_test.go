package trust_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline/host/cache"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// TestRefreshIsKilled: tcode-scan trust refresh and import, killed at any
// moment between packs, leave one complete set, the old one or the new one.
// TCODE_KILLS is the number of kills.
func TestRefreshIsKilled(t *testing.T) {
	t.Parallel()
	m := newForger(t)
	home, file := filepath.Join(t.TempDir(), "scanner"), filepath.Join(t.TempDir(), "set.export")
	scan := func(kill time.Duration, args ...string) {
		t.Helper()
		cmd := exec.Command(world.Program(t, "tcode-scan"), args...)
		cmd.Env = append(os.Environ(), "TCODE_HOME="+home, "TCODE_GATEWAY="+m.url, "TCODE_ROOT=")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if kill > 0 {
			time.Sleep(kill)
			cmd.Process.Kill()
		}
		if err := cmd.Wait(); err != nil && kill == 0 {
			t.Fatalf("%v: %v", args, err)
		}
	}
	// Each set has other shards in both packs.
	set := func(version uint64) forged {
		d := newDocs(version, int(version)-100).wide()
		for n := range d.shards {
			shard := new(statuslist.Shard)
			shard.Set(uint16(version)+1000, statuslist.Revoked)
			shard.Set(uint16(n), statuslist.Suspended)
			d.shards[n] = shard
		}
		return d.assemble()
	}
	m.now = set(101)
	world.WriteFile(t, file, m.now.file())
	scan(0, "trust", "import", file)
	random, version, kept, taken := rand.New(rand.NewPCG(8, 9)), uint64(101), 0, 0
	for i := range world.Count(t, "TCODE_KILLS", 8) {
		m.now = set(version + 1)
		args := []string{"trust", "refresh"}
		if i%2 == 1 {
			world.WriteFile(t, file, m.now.file())
			args = []string{"trust", "import", file}
		}
		scan(time.Duration(20+random.IntN(180))*time.Millisecond, args...)
		switch held := wholeSet(t, filepath.Join(home, "trust.db")); held {
		case version:
			kept++
		case version + 1:
			taken++
		default:
			t.Fatalf("version %d is held", held)
		}
		scan(0, "trust", "refresh")
		if version++; wholeSet(t, filepath.Join(home, "trust.db")) != version {
			t.Fatalf("version %d is not taken after a kill", version)
		}
	}
	t.Logf("killed: %d times the old set is held, %d times the new one", kept, taken)
}

// wholeSet opens a trust store, checks that each shard has the hash in the
// signed packs, and returns the version.
func wholeSet(t *testing.T, path string) uint64 {
	t.Helper()
	c, err := cache.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if aside, reason := c.Repaired(); aside != "" {
		t.Fatal(reason)
	}
	var file bytes.Buffer
	if err := c.Export(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	s, err := c.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range s.State().Shards {
		shard, err := s.Shard(uint16(n))
		if err != nil || shard.Get(uint16(s.State().Status.Version)+1000) != statuslist.Revoked || len(s.State().Status.Packs) != trust.PackOf(129)+1 {
			t.Fatalf("shard %d is of another set: %v", n, err)
		}
	}
	return s.State().Timestamp.Version
}
