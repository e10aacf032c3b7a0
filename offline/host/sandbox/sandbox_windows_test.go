package sandbox_test

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"tcode/offline/host/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main(sandbox.Role{Name: "obey", Serve: obey})
	os.Exit(m.Run())
}

// obey follows one order.
func obey(c *sandbox.Conn) error {
	_, data, err := c.Receive()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	order, arg, _ := strings.Cut(string(data), " ")
	switch order {
	case "panic":
		panic(arg)
	case "exit":
		os.Exit(0)
	case "spin":
		for i := 0; ; i++ {
			runtime.KeepAlive(i)
		}
	case "allocate":
		var keep [][]byte
		for range 8 << 10 {
			b := make([]byte, 1<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			keep = append(keep, b)
		}
		arg = string(keep[0][:1])
	case "handles": // that are open for reading a file
		n := 0
		for h := windows.Handle(4); h < 4096; h += 4 {
			var info windows.ByHandleFileInformation
			if windows.GetFileInformationByHandle(h, &info) == nil && info.FileSizeLow == 4711 {
				n++
			}
		}
		arg = strings.Repeat("x", n)
	}
	return c.Send(2, []byte("ok "+arg))
}

func ask(t *testing.T, p *sandbox.Pool, order string) (answer string, err error) {
	err = p.Do(t.Context(), func(c *sandbox.Conn) error {
		if err := c.Send(1, []byte(order)); err != nil {
			return err
		}
		_, data, err := c.Receive()
		answer = string(data)
		return err
	})
	return answer, err
}

// TestWindows: a child answers, and dies as on other systems.
func TestWindows(t *testing.T) {
	f, err := os.CreateTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	inherited := windows.SetHandleInformation(windows.Handle(f.Fd()), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT)
	if _, err := f.Write(make([]byte, 4711)); err != nil || inherited != nil {
		t.Fatal(err, inherited)
	}
	for _, tt := range []struct {
		order string
		cfg   sandbox.Config
		want  error
	}{
		{"spin", sandbox.Config{Wall: time.Second}, sandbox.ErrTimeout},
		{"spin", sandbox.Config{CPUSeconds: 2, Wall: 10 * time.Minute}, sandbox.ErrTimeout},
		{"panic flat", sandbox.Config{}, sandbox.ErrCrashed},
		{"exit", sandbox.Config{}, sandbox.ErrCrashed},
		{"allocate", sandbox.Config{MemoryBytes: 200 << 20, Wall: time.Minute}, sandbox.ErrMemory},
		{"handles", sandbox.Config{}, nil},
	} {
		tt.cfg.Role, tt.cfg.Size = "obey", 1
		p := sandbox.NewPool(tt.cfg)
		began := time.Now()
		got, err := ask(t, p, tt.order)
		t.Logf("%s: %q, %v, %v", tt.order, got, err, time.Since(began))
		if !errors.Is(err, tt.want) || err == nil && got != "ok " {
			t.Errorf("%s: %q, %v; want %v", tt.order, got, err, tt.want)
		}
		if got, err := ask(t, p, "echo there"); err != nil || got != "ok there" {
			t.Errorf("after %s: %q, %v", tt.order, got, err)
		}
		p.Close()
	}
	found, err := sandbox.Containment(t.Context())
	for _, m := range found {
		t.Logf("%-10s in force %-5v %s", m.Name, m.InForce, m.Found)
	}
	if err != nil {
		t.Error(err)
	}
}
