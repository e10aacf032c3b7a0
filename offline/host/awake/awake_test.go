//go:build unix

package awake_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/offline/host/awake"
)

// helperEnv makes this test program wait, and print how long it has waited and how much of that it ran.
const helperEnv = "TCODE_TEST_AWAKE"

const limit = 2 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(helperEnv) != "" {
		begin, s, over := time.Now(), awake.Start(), make(chan struct{})
		awake.AfterFunc(limit, func() { close(over) })
		fmt.Println("waits")
		<-over
		fmt.Println(time.Since(begin).Milliseconds(), s.Elapsed().Milliseconds())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestStopped: the time for which a process is stopped is not its time.
func TestStopped(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"=1")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // it may have ended
	out := bufio.NewReader(pipe)
	if line, err := out.ReadString('\n'); err != nil || strings.TrimSpace(line) != "waits" {
		t.Fatalf("%q, %v", line, err)
	}
	const stopped = 3 * time.Second
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(stopped)
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var passed, ran int64
	if _, err := fmt.Sscan(line, &passed, &ran); err != nil {
		t.Fatal(err)
	}
	if ran < limit.Milliseconds() || passed-ran < (stopped-time.Second).Milliseconds() {
		t.Errorf("%d ms passed and the process ran for %d of them; it was stopped for %v, and has a limit of %v", passed, ran, stopped, limit)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// TestStop: a function whose wait was ended is not called, and others are.
func TestStop(t *testing.T) {
	t.Parallel()
	called := make(chan string, 2)
	stop := awake.AfterFunc(time.Minute, func() { called <- "stopped" })
	stop()
	stop()
	awake.AfterFunc(-time.Second, func() { called <- "late" })
	if got := <-called; got != "late" {
		t.Errorf("called %s, want the other one", got)
	}
}
