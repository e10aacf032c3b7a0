package trust_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline/statuslist"
)

// TestImportMemory: tcode-scan trust import and export need at most 32 MiB more
// than the program at rest and six times the file. The set has
// TCODE_IMPORT_SHARDS shards of 50,000 stamps each, 1 % of them revoked; the
// last set inflates to thousands of times its size.
func TestImportMemory(t *testing.T) {
	t.Parallel()
	shards := world.Count(t, "TCODE_IMPORT_SHARDS", 1000)
	peak := func(home string, args ...string) int64 {
		t.Helper()
		cmd := exec.Command(world.Program(t, "tcode-scan"), args...)
		// The collector has the program's settings, not those of a CI run.
		cmd.Env = append(os.Environ(), "TCODE_HOME="+home, "TCODE_GATEWAY=", "TCODE_ROOT=", "GOGC=", "GOMEMLIMIT=")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		// The resource usage of a child includes the memory of its parent at
		// the moment of the fork.
		for most := int64(0); ; {
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("%v: %v\n%s", args, err, out.String())
				}
				return most
			case <-time.After(2 * time.Millisecond):
				most = max(most, highWater(cmd.Process.Pid))
			}
		}
	}
	dir := t.TempDir()
	set := func(name string, shards, revoked int) (file string, size int64) {
		random := rand.New(rand.NewPCG(uint64(shards), uint64(revoked)))
		d := newDocs(101, 0)
		d.shards = make([]*statuslist.Shard, shards)
		for n := range d.shards {
			d.shards[n] = new(statuslist.Shard)
			for range revoked {
				d.shards[n].Set(uint16(random.Uint32()), statuslist.Revoked)
			}
		}
		raw := d.assemble().file()
		file = filepath.Join(dir, name)
		world.WriteFile(t, file, raw)
		return file, int64(len(raw))
	}
	small, _ := set("small.export", 3, 1)
	rest := peak(filepath.Join(dir, "small"), "trust", "import", small)
	for name, c := range map[string]struct{ shards, revoked int }{
		"1 % revoked":  {shards, 500},
		"half revoked": {shards / 8, 30000},
		"none revoked": {shards, 0},
	} {
		file, size := set("set.export", c.shards, c.revoked)
		home := filepath.Join(dir, name)
		imported, again := peak(home, "trust", "import", file), peak(home, "trust", "import", file)
		exported := peak(home, "trust", "export", filepath.Join(dir, name+".export"))
		t.Logf("%s: file of %.2f MB, at rest %.0f MB; import %.0f MB, the same once more %.0f MB, export %.0f MB",
			name, float64(size)/1e6, float64(rest)/1e6, float64(imported)/1e6, float64(again)/1e6, float64(exported)/1e6)
		if limit := rest + 6*size + 32<<20; imported > limit || again > limit || exported > limit {
			t.Errorf("%s: want at most %.0f MB", name, float64(limit)/1e6)
		}
	}
}

// highWater returns the largest memory of a process so far, in bytes; 0 if it
// has ended.
func highWater(pid int) int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	line, _, _ := strings.Cut(rest, "kB")
	kb, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}
