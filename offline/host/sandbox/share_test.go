//go:build linux || darwin

package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tcode/offline/host/sandbox"
)

// Requests to the child about shared data.
const (
	kindLook  byte = 3 // describe the frame's data
	kindDrop  byte = 4 // drop the last data, and return the process id
	kindAgain byte = 5 // describe the same data again
)

// scribble at the beginning of the data makes the child change them.
const scribble = "scribble"

// look describes data, and the memory that this process has used so far.
func look(data []byte) []byte {
	if bytes.HasPrefix(data, []byte(scribble)) {
		data[0]++
	}
	sum := 0
	for _, c := range data {
		sum += int(c)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return fmt.Appendf(nil, "%d bytes, sum %d; %d MiB", len(data), sum, m.TotalAlloc>>20)
}

// show sends r to a child and returns its description.
func show(ctx context.Context, p *sandbox.Pool, r *io.SectionReader) (seen, memory string, err error) {
	err = p.Do(ctx, func(c *sandbox.Conn) error {
		if err := c.SendFrom(kindLook, r); err != nil {
			return err
		}
		_, data, err := c.Receive()
		seen, memory, _ = strings.Cut(string(data), "; ")
		return err
	})
	return seen, memory, err
}

// TestSendFrom sends the content of a file, or memory; the result is the same
// both ways.
func TestSendFrom(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1})
	const n = 8 << 20
	data := bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8}, n/8)
	name := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	open := func(flag int) *os.File {
		f, err := os.OpenFile(name, flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	tests := []struct {
		name string
		r    *io.SectionReader
		want string
	}{
		{"memory", io.NewSectionReader(bytes.NewReader(data), 0, n), "8388608 bytes, sum 37748736"},
		{"file", io.NewSectionReader(open(os.O_RDONLY), 0, n), "8388608 bytes, sum 37748736"},
		{"file that can be written", io.NewSectionReader(open(os.O_RDWR), 0, n), "8388608 bytes, sum 37748736"},
		{"middle of a file", io.NewSectionReader(open(os.O_RDONLY), 1, n/2), "4194304 bytes, sum 18874368"},
		{"beginning of a file", io.NewSectionReader(open(os.O_RDONLY), 0, n/2+1), "4194305 bytes, sum 18874369"},
		{"little", io.NewSectionReader(open(os.O_RDONLY), 8, 9), "9 bytes, sum 37"},
		{"nothing", io.NewSectionReader(open(os.O_RDONLY), 0, 0), "0 bytes, sum 0"},
	}
	for _, tt := range tests {
		got, memory, err := show(t.Context(), p, tt.r)
		if err != nil || got != tt.want {
			t.Errorf("%s: child sees %q, %v; want %q", tt.name, got, err, tt.want)
		}
		var mib int
		if _, err := fmt.Sscanf(memory, "%d MiB", &mib); err != nil || runtime.GOOS == "linux" && mib > 8 {
			t.Errorf("%s: child has taken %q by now, %v; the data are not to be copied", tt.name, memory, err)
		}
	}
	large := io.NewSectionReader(bytes.NewReader(nil), 0, sandbox.MaxFrame+1)
	if _, _, err := show(t.Context(), p, large); !errors.Is(err, sandbox.ErrFrameTooLarge) {
		t.Errorf("more than a frame holds = %v, want %v", err, sandbox.ErrFrameTooLarge)
	}
	short := io.NewSectionReader(open(os.O_RDONLY), 0, n+1) // beyond the end, so mapping and touching it would kill the process
	if _, _, err := show(t.Context(), p, short); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that ends early = %v, want %v", err, io.ErrUnexpectedEOF)
	}
	alive(t, p)
}

// TestSharedIsReadOnly makes a child write to the shared file.
func TestSharedIsReadOnly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("files are lent on Linux only")
	}
	p := newPool(t, sandbox.Config{Size: 1})
	data := append([]byte(scribble), make([]byte, 1<<20)...)
	_, _, err := show(t.Context(), p, io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data))))
	if !errors.Is(err, sandbox.ErrCrashed) {
		t.Errorf("writing to shared data = %v, want %v", err, sandbox.ErrCrashed)
	}
	alive(t, p)
}

// exchange sends a frame and returns the answer.
func exchange(t *testing.T, c *sandbox.Conn, kind byte, data string) string {
	t.Helper()
	if err := c.Send(kind, []byte(data)); err != nil {
		t.Fatal(err)
	}
	_, answer, err := c.Receive()
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// shared returns the size of shared files in a process's memory, in KiB.
func shared(t *testing.T, pid string) (kib int) {
	t.Helper()
	raw, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "RssShmem:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}

// TestDrop makes a child drop shared data: it then uses less memory, and reads
// the same when it looks again. Data that came through the pipe stays.
func TestDrop(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1})
	for _, n := range []int{8 << 20, 9} {
		data := bytes.Repeat([]byte{1, 2, 3}, n/3)
		want := fmt.Sprintf("%d bytes, sum %d", len(data), 2*len(data))
		err := p.Do(t.Context(), func(c *sandbox.Conn) error {
			if err := c.SendFrom(kindLook, io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))); err != nil {
				return err
			}
			_, first, err := c.Receive()
			if err != nil {
				return err
			}
			pid := exchange(t, c, kindOrder, "pid")
			large := runtime.GOOS == "linux" && n > 1<<20
			if large && shared(t, pid) < n>>10-8 {
				t.Errorf("child holds %d KiB of the data that it read, want all of %d", shared(t, pid), n>>10)
			}
			exchange(t, c, kindDrop, "")
			if large && shared(t, pid) > n>>12 {
				t.Errorf("child holds %d KiB of the data that it dropped, want next to nothing of %d", shared(t, pid), n>>10)
			}
			again := exchange(t, c, kindAgain, "")
			for _, seen := range []string{string(first), again} {
				if !strings.HasPrefix(seen, want+";") {
					t.Errorf("child sees %q, want %q", seen, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
