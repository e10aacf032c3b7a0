package device_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"tcode/cmd/internal/world"
)

// TestHungFileInterrupted: signals end a program that waits for a file that hangs, and the file does not count as
// one that ended the program. Nor does it if a person kills the process that judges it.
func TestHungFileInterrupted(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	p := newPile(w, "hung", 1, []seedFault{{"page", "hang", "pdf"}})
	for _, killed := range []int{0, 2, 4} { // processes that judge, before the end of the program
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			cmd := p.command("watch", "--settle", "100ms", p.dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for range killed {
				judging(t, cmd.Process.Pid)
				for _, pid := range childrenOf(cmd.Process.Pid) {
					if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
						t.Fatal(err)
					}
				}
			}
			judging(t, cmd.Process.Pid)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if code := world.ExitCode(t, cmd.Wait()); sig == syscall.SIGTERM && code != 0 {
				t.Errorf("watch: exit code %d, want 0", code)
			}
		}
	}
	cmd := p.command("verify", p.dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	judging(t, cmd.Process.Pid)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := world.ExitCode(t, cmd.Wait()); code != 130 {
		t.Errorf("verify: exit code %d, want 130", code)
	}
	if err := os.RemoveAll(p.seeds); err != nil {
		t.Fatal(err)
	}
	if all, code, said := p.run("watch", "--once", "--settle", "100ms", p.dir); len(all) != 1 || all[0].Outcome != "valid" || code != 0 {
		t.Errorf("%+v, exit code %d, want that the file is judged\n%s", all, code, said)
	}
}

// judging waits until the program with this process has a child that judges files, and a second
// for the child to begin the one that hangs.
func judging(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); len(childrenOf(pid)) == 0; {
		if time.Now().After(deadline) {
			t.Fatal("no child process")
		}
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(time.Second)
}
