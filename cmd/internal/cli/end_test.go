//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/cmd/internal/cli"
)

// hangEnv makes the test program one that hangs at its end.
const hangEnv = "CLI_TEST_HANG"

func TestMain(m *testing.M) {
	if os.Getenv(hangEnv) != "" {
		cli.Main(func(ctx context.Context, _ []string) error {
			cli.EndWithin(ctx, 100*time.Millisecond)
			fmt.Println("runs")
			hang()
			return nil
		})
	}
	os.Exit(m.Run())
}

//go:noinline
func hang() { time.Sleep(time.Hour) }

// TestEndWithin: a program that hangs ends after its time, and says where it hangs. It ends
// as well if its stderr takes no more.
func TestEndWithin(t *testing.T) {
	t.Parallel()
	for _, read := range []bool{true, false} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), hangEnv+"=1")
		var stderr bytes.Buffer
		if cmd.Stderr = &stderr; !read {
			r, full, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			fill(t, full)
			cmd.Stderr = full
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != cli.CodeFailed {
			t.Errorf("exit code %d, want %d", code, cli.CodeFailed)
		}
		if said := stderr.String(); read && !(strings.Contains(said, "did not within 100ms") && strings.Contains(said, "cli_test.hang")) {
			t.Errorf("it said:\n%s", said)
		}
	}
}

// fill writes to a pipe until there is no room.
func fill(t *testing.T, pipe *os.File) {
	t.Helper()
	if err := pipe.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := pipe.Write(make([]byte, 1<<16)); err != nil {
			return
		}
	}
}
