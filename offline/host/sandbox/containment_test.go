//go:build linux || darwin

package sandbox_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"tcode/offline/host/sandbox"
)

// TestContainment: what Containment says is what a child of another role can do, which tries in its own way.
func TestContainment(t *testing.T) {
	t.Parallel()
	said, err := sandbox.Containment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := newPool(t, sandbox.Config{Size: 1})
	orders := map[string]string{
		"memory": "reserve", "code": "executable-memory", "programs": "exec /bin/true", "processes": "kill",
		"write": "create " + t.TempDir() + "/new", "read": "read " + os.Args[0], "network": "connect udp 127.0.0.1:9", "terminal": "read /dev/tty",
	}
	for _, m := range said {
		t.Logf("%-10s in force %-5v %s", m.Name, m.InForce, m.Found)
		if order := orders[m.Name]; order != "" {
			got, err := ask(t.Context(), p, order)
			if denied := strings.HasPrefix(got, "denied: "); err != nil || denied != m.InForce && m.Name != "memory" {
				t.Errorf("%s is in force: %v, but a child's answer to %q is %q, %v", m.Name, m.InForce, order, got, err)
			}
			delete(orders, m.Name)
		}
		if runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") && !m.InForce {
			t.Errorf("a child could %s", m.Prevents)
		}
	}
	if len(orders) > 0 || len(said) != 10 {
		t.Errorf("%d measures, and none for %v", len(said), orders)
	}
}

// TestContainmentOfNothing: without restrictions every attempt succeeds, so that none is in force by a fault of the attempt.
func TestContainmentOfNothing(t *testing.T) {
	t.Parallel()
	tty := os.Getenv("SSH_TTY") != "" // a test has no terminal, as a rule
	for name, err := range sandbox.TryAll(t.TempDir()) {
		if free := err == nil; !free && (name != "terminal" || tty) {
			t.Errorf("an unrestricted process cannot do %q: %v", name, err)
		}
	}
}

// leakEnv makes the test binary a program that has inherited an open file and says whether its child has it too.
const leakEnv = "SANDBOX_TEST_LEAK"

func leak() int {
	p := sandbox.NewPool(sandbox.Config{Role: "obey", Size: 1})
	defer p.Close()
	got, err := ask(context.Background(), p, "descriptors "+os.Getenv(leakEnv))
	fmt.Println(got, err)
	return 0
}

// TestInheritedFiles: a file that this program has inherited open, as from a shell, is not open in its children.
func TestInheritedFiles(t *testing.T) {
	t.Parallel()
	f, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.ExtraFiles = []*os.File{f, f, f, f, f} // descriptors 3 to 7
	cmd.Env = append(os.Environ(), leakEnv+"="+fmt.Sprint(info.Sys().(*syscall.Stat_t).Ino))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if line, _, _ := bufio.NewReader(strings.NewReader(string(out))).ReadLine(); err != nil || string(line) != "ok 0 <nil>" {
		t.Errorf("the child has of the inherited files %q, %v; want none", line, err)
	}
}
