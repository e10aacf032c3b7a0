package device_test

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tcode/cmd/internal/world"
)

// oddThings makes a folder with one document, a named pipe, a socket and links to devices.
func oddThings(t *testing.T) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "odd") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	in := func(name string) string { return filepath.Join(dir, name) }
	world.WriteFile(t, in("a.pdf"), world.SmallPDF(1))
	socket, err := net.Listen("unix", in("socket.pdf"))
	err = errors.Join(err, unix.Mkfifo(in("pipe.pdf"), 0o600), os.Symlink("pipe.pdf", in("link.pdf")),
		os.Symlink("/dev/zero", in("zero.png")), os.Symlink("/dev/tty", in("tty.jpg")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	return dir
}

// TestPipesInFolders: commands read the documents of a folder, and open nothing else in it.
func TestPipesInFolders(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"verify", "--home", t.TempDir()}, {"read"}, {"watch", "--home", t.TempDir(), "--once", "--settle", "100ms"},
	} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			dir := oddThings(t)
			out, _ := exec.Command(world.Program(t, "tcode-scan"), append(args, dir)...).CombinedOutput()
			if !bytes.Contains(out, []byte("a.pdf")) || bytes.Contains(out, []byte("pipe.pdf")) || bytes.Contains(out, []byte("socket.pdf")) ||
				bytes.Contains(out, []byte("zero.png")) || bytes.Contains(out, []byte("tty.jpg")) {
				t.Errorf("%s", out)
			}
		})
	}
}

// pipeCommands are those that read a file which a person names, with a pipe in its place.
func pipeCommands(t *testing.T, pipe string) map[string]*exec.Cmd {
	scan, tool, gateway := world.Program(t, "tcode-scan"), world.Program(t, "tcode"), world.Program(t, "tcode-gateway")
	home, other := t.TempDir(), filepath.Join(t.TempDir(), "other.pdf")
	world.WriteFile(t, other, world.SmallPDF(1))
	issuer := func(args ...string) *exec.Cmd {
		cmd := exec.Command(tool, args...)
		cmd.Env = append(os.Environ(), "TCODE_GATEWAY=http://127.0.0.1:9", "TCODE_API_KEY=tck_test_00000000_x")
		return cmd
	}
	return map[string]*exec.Cmd{
		"verify":       exec.Command(scan, "verify", "--home", home, pipe),
		"verify many":  exec.Command(scan, "verify", "--home", home, other, pipe),
		"read":         exec.Command(scan, "read", pipe),
		"inspect":      exec.Command(scan, "inspect", pipe),
		"trust import": exec.Command(scan, "trust", "import", "--home", home, pipe),
		"audit":        exec.Command(scan, "audit", "--home", home, "--trust", pipe),
		"stamp":        issuer("stamp", "--type", "DIP", pipe),
		"tcode verify": issuer("verify", pipe),
		"root show":    exec.Command(gateway, "root", "show", pipe),
		"restore":      exec.Command(gateway, "restore", "--data", filepath.Join(home, "new"), pipe),
		"settings":     exec.Command(gateway, "config", "--config", pipe),
		"root sign":    exec.Command(gateway, "root", "sign", "--key", other, pipe),
	}
}

// TestPipesEnd: a command that waits for another program to open a named pipe, or to write to it,
// ends at a signal.
func TestPipesEnd(t *testing.T) {
	t.Parallel()
	for _, opened := range []bool{false, true} {
		for name := range pipeCommands(t, "") {
			state := map[bool]string{false: "not opened", true: "opened"}[opened]
			t.Run(name+", "+state, func(t *testing.T) {
				t.Parallel()
				pipe := filepath.Join(t.TempDir(), "pipe.pdf")
				if err := unix.Mkfifo(pipe, 0o600); err != nil {
					t.Fatal(err)
				}
				endsAtSignal(t, pipeCommands(t, pipe)[name], pipe, opened)
			})
		}
	}
}

// endsAtSignal starts a command that reads a pipe, and ends it when it waits for that.
func endsAtSignal(t *testing.T, cmd *exec.Cmd, pipe string, opened bool) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() }) //nolint:errcheck // it may have ended
	if opened {
		writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the command has opened it
		if err != nil {
			t.Fatal(err)
		}
		defer writer.Close()
	} else {
		waitForOpen(t, cmd.Process.Pid)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatal("it goes on")
	}
	if strings.Contains(said.String(), "What still runs") || cmd.ProcessState.Success() {
		t.Errorf("%v\n%s", cmd.ProcessState, &said)
	}
}

// waitForOpen waits until a thread of a process, or of one that it started, waits for a named pipe to be opened by another program.
func waitForOpen(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		threads, _ := filepath.Glob("/proc/[0-9]*/task/[0-9]*/wchan")
		for _, file := range threads {
			raw, err := os.ReadFile(file)
			if err == nil && (bytes.Contains(raw, []byte("wait_for_partner")) || bytes.Contains(raw, []byte("fifo_open"))) && descends(file, pid) {
				return
			}
		}
	}
	t.Skip("the kernel does not say what a process waits for")
}

// descends reports whether a file of /proc is of a process or of a child of it.
func descends(file string, pid int) bool {
	of := strings.Split(file, "/")[2]
	raw, err := os.ReadFile("/proc/" + of + "/stat")
	if err != nil {
		return false
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	want := strconv.Itoa(pid)
	return of == want || len(fields) > 1 && fields[1] == want
}

// TestPipesAreRead: a document that comes through a named pipe is read as one in a file.
func TestPipesAreRead(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe.pdf")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(world.Program(t, "tcode-scan"), "read", pipe)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	world.WriteFile(t, pipe, world.SmallPDF(1))
	if code := world.ExitCode(t, cmd.Wait()); code != 1 || !strings.Contains(said.String(), "pipe.pdf, page 1: no symbol") {
		t.Errorf("exit code %d\n%s", code, &said)
	}
	out, err := exec.Command(world.Program(t, "tcode-scan"), "compare", pipe).CombinedOutput()
	if world.ExitCode(t, err) != 3 || !bytes.Contains(out, []byte("no regular file")) {
		t.Errorf("%v\n%s", err, out)
	}
}
