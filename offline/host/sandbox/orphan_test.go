//go:build linux || darwin

package sandbox_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/offline/host/sandbox"
)

// helperEnv makes the test binary a parent of one busy and one idle child, which then waits to be killed.
const helperEnv = "SANDBOX_TEST_PARENT"

func helper() int {
	p := sandbox.NewPool(sandbox.Config{Role: "obey", Size: 2})
	ctx := context.Background()
	err := p.Do(ctx, func(c *sandbox.Conn) error {
		idle, err := ask(ctx, p, "pid")
		if err != nil {
			return err
		}
		if err := c.Send(kindOrder, []byte("pid")); err != nil {
			return err
		}
		_, busy, err := c.Receive()
		if err != nil {
			return err
		}
		if err := c.Send(kindOrder, []byte("spin")); err != nil {
			return err
		}
		fmt.Println(idle, string(busy))
		_, _, err = c.Receive()
		return err
	})
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// startSelf starts this test program with an environment variable that makes it another one, until the test ends.
func startSelf(t *testing.T, env string) (cmd *exec.Cmd, out *bufio.Reader) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env+"=1")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() }) // it may have ended
	return cmd, bufio.NewReader(pipe)
}

// TestParentKilled kills a parent that has no chance to clean up.
func TestParentKilled(t *testing.T) {
	t.Parallel()
	cmd, out := startSelf(t, helperEnv)
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	for _, word := range strings.Fields(line) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatalf("pids = %q", line)
		}
		deadline := time.Now().Add(10 * time.Second)
		for running(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("child %d outlives its parent", pid)
			}
			time.Sleep(5 * time.Millisecond) // there is no event to wait for in another process
		}
	}
}

// running reports whether pid is a process that is not a zombie: in a container there may be no process that reaps
// orphans.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return runtime.GOOS != "linux"
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
