//go:build linux || darwin

package sandbox_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/host/sandbox"
)

// The kinds of the test role's frames.
const (
	kindOrder  byte = 1
	kindAnswer byte = 2
)

func TestMain(m *testing.M) {
	sandbox.Main(sandbox.Role{Name: "obey", Prepare: mapped, Serve: obey})
	if os.Getenv(helperEnv) != "" {
		os.Exit(helper())
	}
	if os.Getenv(stoppedEnv) != "" {
		os.Exit(stopped())
	}
	if os.Getenv(leakEnv) != "" {
		os.Exit(leak())
	}
	os.Exit(m.Run())
}

func newPool(t *testing.T, c sandbox.Config) *sandbox.Pool {
	t.Helper()
	if c.Role == "" {
		c.Role = "obey"
	}
	if c.Wall == 0 {
		c.Wall = 5 * time.Minute // tests of a limit set it; to all others a busy machine makes no difference
	}
	p := sandbox.NewPool(c)
	t.Cleanup(p.Close)
	return p
}

// ask runs a task with one order.
func ask(ctx context.Context, p *sandbox.Pool, order string) (answer string, err error) {
	err = p.Do(ctx, func(c *sandbox.Conn) error {
		if err := c.Send(kindOrder, []byte(order)); err != nil {
			return err
		}
		_, data, err := c.Receive()
		answer = string(data)
		return err
	})
	return answer, err
}

// alive fails the test unless the pool still answers.
func alive(t *testing.T, p *sandbox.Pool) {
	t.Helper()
	if got, err := ask(t.Context(), p, "echo still here"); err != nil || got != "ok still here" {
		t.Fatalf("next task = %q, %v; want an answer", got, err)
	}
}

func TestForbidden(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the filter is for Linux")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := newPool(t, sandbox.Config{Size: 1})
	dir := t.TempDir()
	for _, order := range []string{
		"read /etc/passwd", "read /proc/self/environ", "list /", "stat /etc/passwd", "create " + dir + "/new",
		"exec /bin/true", "connect tcp " + l.Addr().String(), "connect udp 127.0.0.1:53", "connect unix /run/x.sock",
		"kill", "executable-memory", "raise-limit", "reserve",
	} {
		t.Run(order, func(t *testing.T) {
			got, err := ask(t.Context(), p, order)
			if err != nil {
				t.Fatalf("err = %v, want the child to live", err)
			}
			if !strings.HasPrefix(got, "denied: ") {
				t.Errorf("answer = %q, want denied", got)
			}
		})
	}
	if _, err := os.Stat(dir + "/new"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("stat of the file = %v, want it not made", err)
	}
	if got, err := ask(t.Context(), p, "env"); err != nil || got != "ok " {
		t.Errorf("environment = %q, %v; want empty", got, err)
	}
}

func TestDeaths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		order  string
		cfg    sandbox.Config
		want   error
		stderr string
	}{
		{"spin", sandbox.Config{Wall: time.Second}, sandbox.ErrTimeout, ""},
		{"spin", sandbox.Config{CPUSeconds: 1}, sandbox.ErrTimeout, ""},
		{"panic flat", sandbox.Config{}, sandbox.ErrCrashed, "panic: flat"},
		{"exit", sandbox.Config{}, sandbox.ErrCrashed, ""},
		{"abort", sandbox.Config{}, sandbox.ErrCrashed, "SIGABRT"},
		{"allocate", sandbox.Config{MemoryBytes: 200 << 20}, sandbox.ErrMemory, ""},
		{"forge", sandbox.Config{}, sandbox.ErrProtocol, ""},
		{"boast", sandbox.Config{}, sandbox.ErrProtocol, ""},
	}
	for _, tt := range tests {
		t.Run(tt.order, func(t *testing.T) {
			t.Parallel()
			tt.cfg.Size = 1
			p := newPool(t, tt.cfg)
			alive(t, p)
			_, err := ask(t.Context(), p, tt.order)
			if !errors.Is(err, tt.want) {
				t.Fatalf("err = %v, want %v; stderr %q", err, tt.want, stderrOf(err))
			}
			we, ok := errors.AsType[*sandbox.WorkerError](err)
			if !ok {
				t.Fatalf("err = %#v, want a *WorkerError", err)
			}
			if !strings.Contains(we.Stderr, tt.stderr) || len(we.Stderr) > 4096 {
				t.Errorf("stderr = %q, want %q in at most 4096 bytes", we.Stderr, tt.stderr)
			}
			alive(t, p)
		})
	}
}

// stderrOf returns the stderr of the child that err is about.
func stderrOf(err error) string {
	if we, ok := errors.AsType[*sandbox.WorkerError](err); ok {
		return we.Stderr
	}
	return ""
}

// TestAddressSpace works without the watcher: the limit itself must hold.
func TestAddressSpace(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the address space limit is for Linux")
	}
	p := newPool(t, sandbox.Config{Size: 1, MemoryBytes: 1 << 30})
	if got, err := ask(t.Context(), p, "reserve"); err != nil || !strings.HasPrefix(got, "denied") {
		t.Errorf("reserving 8 GiB = %q, %v; want denied", got, err)
	}
}

func TestTaskError(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1})
	_, err := ask(t.Context(), p, "d\x1b[2Jan\xffce\n wildly")
	te, ok := errors.AsType[*sandbox.TaskError](err)
	if !ok || te.Code != "no_such_order" || te.Message != "d[2Jance " { // no control characters for a terminal
		t.Errorf("err = %v, want the child's own", err)
	}
	alive(t, p)
}

func TestUnreadFramesAreDropped(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1})
	before, err := ask(t.Context(), p, "pid")
	if err != nil {
		t.Fatal(err)
	}
	err = p.Do(t.Context(), func(c *sandbox.Conn) error {
		return errors.Join(c.Send(kindOrder, []byte("babble")), c.Send(kindOrder, []byte("print not a frame")))
	})
	if err != nil {
		t.Fatalf("task that reads nothing: %v", err)
	}
	if after, err := ask(t.Context(), p, "pid"); err != nil || after != before {
		t.Errorf("pid = %q, %v; want the same child %q", after, err, before)
	}
}

func TestOwnErrorReplacesChild(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1})
	before, _ := ask(t.Context(), p, "pid")
	want := errors.New("had enough")
	if err := p.Do(t.Context(), func(*sandbox.Conn) error { return want }); !errors.Is(err, want) {
		t.Errorf("err = %v, want %v", err, want)
	}
	if after, err := ask(t.Context(), p, "pid"); err != nil || after == before {
		t.Errorf("pid = %q, %v; want another child than %q", after, err, before)
	}
}

func TestMaxTasks(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1, MaxTasks: 3})
	pids := map[string]int{}
	for range 7 {
		pid, err := ask(t.Context(), p, "pid")
		if err != nil {
			t.Fatal(err)
		}
		pids[pid]++
	}
	if len(pids) != 3 {
		t.Errorf("7 tasks of at most 3 a child ran in %d children, want 3: %v", len(pids), pids)
	}
}

// TestMemoryIsUsedAgain: a child that receives one file after another does not allocate
// new memory for each. The answer's role makes one copy in addition to the frame.
func TestMemoryIsUsedAgain(t *testing.T) {
	t.Parallel()
	const tasks, size = 8, 10 // MiB
	p := newPool(t, sandbox.Config{Size: 1})
	order := "allocated " + strings.Repeat("y", size<<20)
	for i := range tasks {
		got, err := ask(t.Context(), p, order)
		if err != nil {
			t.Fatal(err)
		}
		mib, err := strconv.Atoi(got)
		if err != nil {
			t.Fatal(err)
		}
		if most := size*(i+2) + size + 2; mib > most { // two frames, one of them read ahead, each begun with 1 MiB
			t.Fatalf("%d MiB after %d tasks of %d, want at most %d", mib, i+1, size, most)
		}
	}
}

func TestFrameLimits(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1})
	err := p.Do(t.Context(), func(c *sandbox.Conn) error { return c.Send(kindOrder, make([]byte, sandbox.MaxFrame+1)) })
	if !errors.Is(err, sandbox.ErrFrameTooLarge) {
		t.Errorf("sending too much: err = %v, want ErrFrameTooLarge", err)
	}
	err = p.Do(t.Context(), func(c *sandbox.Conn) error { return c.Send(0xF0, nil) })
	if !errors.Is(err, sandbox.ErrProtocol) {
		t.Errorf("sending a reserved kind: err = %v, want ErrProtocol", err)
	}
	big := "echo " + strings.Repeat("y", 30<<20)
	if got, err := ask(t.Context(), p, big); err != nil || len(got) != len(big)-2 {
		t.Errorf("echo of 30 MiB = %d bytes, %v", len(got), err)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1})
	alive(t, p)
	cause := errors.New("user went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := "", p.Do(ctx, func(c *sandbox.Conn) error {
		if err := c.Send(kindOrder, []byte("spin")); err != nil {
			return err
		}
		cancel(cause)
		_, _, err := c.Receive()
		return err
	})
	if !errors.Is(err, cause) {
		t.Errorf("err = %v, want the cause", err)
	}
	alive(t, p) // a child is free from now on
	for range 20 {
		if _, err := ask(ctx, p, "echo"); !errors.Is(err, cause) {
			t.Fatalf("with an ended context: err = %v, want the cause", err)
		}
	}
	alive(t, p)
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 3, MaxTasks: 10})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 12 {
				order, want := fmt.Sprintf("echo %d.%d", g, i), fmt.Sprintf("ok %d.%d", g, i)
				if i%5 == 4 {
					if _, err := ask(t.Context(), p, "exit"); !errors.Is(err, sandbox.ErrCrashed) {
						t.Errorf("exit: err = %v", err)
					}
				}
				if got, err := ask(t.Context(), p, order); err != nil || got != want {
					t.Errorf("%s = %q, %v", order, got, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestNothingLeft is not parallel, because it counts the open files of the process.
func TestNothingLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("counts in /proc")
	}
	count := func() int {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(fds)
	}
	crash := func() {
		p := sandbox.NewPool(sandbox.Config{Role: "obey", Size: 2})
		defer p.Close()
		for range 5 {
			if _, err := ask(t.Context(), p, "exit"); !errors.Is(err, sandbox.ErrCrashed) {
				t.Errorf("err = %v, want ErrCrashed", err)
			}
			alive(t, p)
		}
	}
	crash() // the runtime opens its own first
	before := count()
	crash()
	if after := count(); after > before {
		t.Errorf("%d open files, want %d", after, before)
	}
}

func TestClosedAndUnknownRole(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{})
	p.Close()
	if _, err := ask(t.Context(), p, "echo"); !errors.Is(err, sandbox.ErrClosed) {
		t.Errorf("closed pool: err = %v, want ErrClosed", err)
	}
	if _, err := ask(t.Context(), newPool(t, sandbox.Config{Role: "unheard-of"}), "echo"); !errors.Is(err, sandbox.ErrNoMain) {
		t.Errorf("role not given to Main: err = %v, want ErrNoMain", err)
	}
}

func TestProtections(t *testing.T) {
	t.Parallel()
	got, err := newPool(t, sandbox.Config{}).Protections(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Log(got)
	if runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") {
		for _, want := range []string{"rlimits", "no_new_privs", "seccomp"} {
			if !strings.Contains(got, want) {
				t.Errorf("protections = %q, want %s", got, want)
			}
		}
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 3, 'a', 'b', 'c'})
	f.Add([]byte{0xF3, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		kind, data, err := sandbox.ReadFrame(bytes.NewReader(b), nil)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := sandbox.WriteFrame(&out, kind, data); err != nil {
			t.Fatal(err)
		}
		if n := 5 + int(binary.BigEndian.Uint32(b[1:5])); !bytes.Equal(out.Bytes(), b[:n]) {
			t.Errorf("written again: %x, want %x", out.Bytes(), b[:n])
		}
	})
}
