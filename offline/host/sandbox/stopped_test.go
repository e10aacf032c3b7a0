//go:build linux || darwin

package sandbox_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/offline/host/sandbox"
)

// stoppedEnv makes this test program run a task, after it has printed the process id of the child, and print the result.
const stoppedEnv = "SANDBOX_TEST_STOPPED"

// stoppedWall is the time that it gives to the child.
const stoppedWall = 6 * time.Second

func stopped() int {
	p := sandbox.NewPool(sandbox.Config{Role: "obey", Size: 1, Wall: stoppedWall})
	defer p.Close()
	err := p.Do(context.Background(), func(c *sandbox.Conn) error {
		for _, order := range []string{"pid", "work 100ms"} { // a busy machine takes seconds for it
			if err := c.Send(kindOrder, []byte(order)); err != nil {
				return err
			}
			_, answer, err := c.Receive()
			if err != nil {
				return err
			}
			fmt.Println(string(answer))
		}
		return nil
	})
	fmt.Println("err:", err)
	return 0
}

// TestMachineStandsStill: a child does not use up its time while it and its parent are stopped.
func TestMachineStandsStill(t *testing.T) {
	t.Parallel()
	parent, out := startSelf(t, stoppedEnv)
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		for _, pid := range []int{child, parent.Process.Pid} {
			if err := syscall.Kill(pid, s); err != nil {
				t.Fatal(err)
			}
		}
		if s == syscall.SIGSTOP {
			time.Sleep(stoppedWall + time.Second)
		}
	}
	work, err := out.ReadString('\n')
	if err != nil || strings.HasPrefix(work, "err:") {
		t.Fatalf("%q, %v; want the answer of the child", work, err)
	}
	if line, err := out.ReadString('\n'); err != nil || line != "err: <nil>\n" {
		t.Errorf("%q, %v; want no error", line, err)
	}
	if err := parent.Wait(); err != nil {
		t.Fatal(err)
	}
}
