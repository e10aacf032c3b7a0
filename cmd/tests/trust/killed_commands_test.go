package trust_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/world"
)

// kill runs a program in the operator's folder and ends it with SIGKILL after a while.
func (o *operator) kill(after time.Duration, args ...string) {
	o.t.Helper()
	cmd := exec.Command(world.Program(o.t, "tcode-gateway"), args...)
	cmd.Dir, cmd.Env = o.dir, o.env
	if err := cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	time.Sleep(after)
	cmd.Process.Kill()
	cmd.Wait()
}

// private fails the test if other users may read a file of the folder, or if a
// file with a key is not complete.
func (o *operator) private(dir string) {
	o.t.Helper()
	err := filepath.WalkDir(filepath.Join(o.dir, dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "root.pub" || strings.HasPrefix(d.Name(), ".tcode-") {
			return nil // the gateway may remove one of its files meanwhile
		}
		info, err := d.Info()
		if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			o.t.Errorf("%s: mode %v", path, info.Mode())
		}
		if filepath.Ext(path) == ".key" && info.Size() > 0 &&
			!strings.Contains(string(world.ReadFile(o.t, path)), "END AGE ENCRYPTED FILE") {
			o.t.Errorf("%s is half a key", path)
		}
		return nil
	})
	if err != nil {
		o.t.Error(err)
	}
}

// TestKilledCommands: each operator's command that changes keys, roots or data
// folders is killed at any moment while a gateway serves. The old state or the
// new one holds, scanners continue to work, and the same command completes the
// change. TCODE_KILLED_COMMANDS is the number of kills of each.
func TestKilledCommands(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.run("tcode-scan enrol --gateway " + o.url)
	o.run("tcode-gateway root init --threshold 2 --keys 3 --out set --first 7")
	o.run("tcode-gateway backup --with-keyset b.tar")
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	there := func(name string) bool {
		_, err := os.Lstat(filepath.Join(o.dir, name))
		return err == nil
	}
	// A step is a command that is killed and the condition that must hold then.
	// Names have a %d for the number of the round.
	steps := []struct {
		before, command string
		after           func(command string, i int)
	}{
		{"", "key create --tenant ACME01 --name k", func(command string, i int) {
			o.run("tcode-gateway " + command)
			o.run("tcode-gateway key list --tenant ACME01")
		}},
		{"", "root init --threshold 2 --keys 3 --out keys-%[1]d", func(command string, i int) {
			dir := fmt.Sprintf("keys-%d", i)
			if list := dir + "/root.pub"; !there(list) {
				if there(dir + "/root-1.key") {
					o.refused("tcode-gateway "+command, "cut short")
					o.run("rm -f " + dir + "/root-*.key")
				}
				o.run("tcode-gateway " + command)
			}
			o.run(fmt.Sprintf("tcode-gateway root rotate --keys %s/root.pub --out trial-%d", dir, i))
			o.run(fmt.Sprintf("tcode-gateway root sign trial-%d --key %s/root-3.key", i, dir))
			o.private(dir)
		}},
		{"", "root rotate --expires 400d --out next-%[1]d", func(command string, i int) {
			file := fmt.Sprintf("next-%d", i)
			if !there(file) {
				o.run("tcode-gateway " + command)
			}
			o.run("tcode-gateway root show " + file)
		}},
		{"root rotate --add-keys set/root.pub --out signed-%[1]d", "root sign signed-%[1]d --key set/root-8.key", func(command string, i int) {
			o.run("tcode-gateway " + command)
			if said := o.run(fmt.Sprintf("tcode-gateway root show signed-%d", i)); !strings.Contains(said, "tcode/root-8") {
				t.Errorf("%s: %s", command, said)
			}
		}},
		{"root rotate --expires 500d --out public-%[1]d", "root publish public-%[1]d", func(command string, _ int) { o.run("tcode-gateway " + command) }},
		{"", "online-key rotate", func(command string, _ int) { o.run("tcode-gateway " + command) }},
		{"", "keyset rotate", func(command string, _ int) { o.run("tcode-gateway " + command) }},
		{"", "restore b.tar --data restored-%[1]d", func(command string, i int) {
			data := fmt.Sprintf("restored-%d", i)
			if !there(data + "/gateway.sqlite") {
				o.run("tcode-gateway " + command)
			}
			if there(data + ".restoring") {
				t.Errorf("%s.restoring is left", data)
			}
			o.private(data)
			o.run("tcode-scan trust export " + data + ".export")
			o.kill(time.Duration(rng.IntN(40))*time.Millisecond, "fsck", "--data", data, "--trust", data+".export", "--apply")
			again := fmt.Sprintf("tcode-gateway fsck --data %[1]s --trust %[1]s.export --apply", data)
			if _, stderr, code := o.try(again); code != 0 && !strings.Contains(stderr, "--uncovered-since") {
				// The scanner has roots that are newer than the backup.
				if !strings.Contains(stderr, "root") {
					t.Errorf("%s: %s", again, stderr)
				}
				o.run(fmt.Sprintf("tcode-gateway root show --data %s", data))
			}
		}},
	}
	for i := range world.Count(t, "TCODE_KILLED_COMMANDS", 1) {
		for _, s := range steps {
			if s.before != "" {
				o.run("tcode-gateway " + fmt.Sprintf(s.before, i))
			}
			command := s.command
			if strings.Contains(command, "%") {
				command = fmt.Sprintf(command, i)
			}
			o.kill(time.Duration(rng.IntN(40_000))*time.Microsecond, strings.Fields(command)...)
			o.private("gateway")
			o.run("tcode-scan trust refresh")
			s.after(command, i)
		}
	}
	o.serve("127.0.0.1:0")
	o.run("tcode-scan trust refresh --gateway " + o.url)
	if v := o.trust("scanner"); v.Issuers != 1 || v.LastError != "" {
		t.Errorf("the scanner holds %+v", v)
	}
}
