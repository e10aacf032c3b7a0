//go:build linux || darwin

package sandbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"tcode/offline/host/cputime"
	"tcode/offline/host/sandbox"
)

// obey follows the first word of each frame and answers "ok ..." or "denied: ...".
func obey(c *sandbox.Conn) error {
	var seen []byte
	for {
		kind, data, err := c.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch kind {
		case kindLook:
			seen = data
			fallthrough
		case kindAgain:
			if err := c.Send(kindAnswer, look(seen)); err != nil {
				return err
			}
			continue
		case kindDrop:
			c.Drop(seen)
			if err := c.Send(kindAnswer, []byte("ok")); err != nil {
				return err
			}
			continue
		}
		order, arg, _ := strings.Cut(string(data), " ")
		act, ok := orders[order]
		if !ok {
			return &sandbox.TaskError{Code: "no_such_order", Message: order}
		}
		answer, err := act(arg)
		if err != nil {
			answer = "denied: " + err.Error()
		}
		if err := c.Send(kindAnswer, []byte(answer)); err != nil {
			return err
		}
	}
}

// mapped maps a file into memory, if one is named, and reads all of it.
func mapped(name string) error {
	if name == "" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	file, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err == nil && bytes.IndexByte(file, 1) >= 0 {
		err = errors.New("not a file of zeros")
	}
	return err
}

// held is the memory of the order "hold", filled that of "fill".
var (
	held   [][]byte
	filled []byte
)

var orders = map[string]func(arg string) (string, error){
	"echo": func(arg string) (string, error) { return "ok " + arg, nil },
	"pid":  func(string) (string, error) { return fmt.Sprint(os.Getpid()), nil },
	"allocated": func(string) (string, error) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return fmt.Sprint(m.TotalAlloc >> 20), nil
	},
	"env":    func(string) (string, error) { return "ok " + strings.Join(os.Environ(), ","), nil },
	"read":   func(arg string) (string, error) { _, err := os.ReadFile(arg); return "ok", err },
	"list":   func(arg string) (string, error) { _, err := os.ReadDir(arg); return "ok", err },
	"stat":   func(arg string) (string, error) { _, err := os.Stat(arg); return "ok", err },
	"create": func(arg string) (string, error) { return "ok", os.WriteFile(arg, []byte("x"), 0o600) },
	"exec":   func(arg string) (string, error) { return "ok", exec.Command(arg).Run() },
	"connect": func(arg string) (string, error) {
		network, address, _ := strings.Cut(arg, " ")
		c, err := net.Dial(network, address)
		if err == nil {
			c.Close()
		}
		return "ok", err
	},
	"descriptors": func(arg string) (string, error) { // that are open for one file
		n := 0
		for fd := range 64 {
			var st syscall.Stat_t
			if syscall.Fstat(fd, &st) == nil && fmt.Sprint(st.Ino) == arg {
				n++
			}
		}
		return fmt.Sprint("ok ", n), nil
	},
	"kill": func(string) (string, error) { return "ok", syscall.Kill(os.Getppid(), 0) },
	"print": func(arg string) (string, error) {
		// A library may print in both ways; the output must not get among the frames.
		fmt.Println(arg)
		_, err := syscall.Write(1, []byte(arg+"\n"))
		return "ok", err
	},
	"allocate": func(string) (string, error) {
		var keep [][]byte
		for range 8 << 10 { // 8 GiB
			b := make([]byte, 1<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			keep = append(keep, b)
		}
		return fmt.Sprint(len(keep)), nil
	},
	"hold": func(arg string) (string, error) {
		mib, err := strconv.Atoi(arg)
		for range mib {
			held = append(held, bytes.Repeat([]byte{1}, 1<<20))
		}
		return "ok", err
	},
	"fill": func(arg string) (string, error) { // as hold, but outside of Go's heap, so the size is exact
		mib, err := strconv.Atoi(arg)
		if err != nil {
			return "", err
		}
		if filled != nil { // by an earlier task
			if err := syscall.Munmap(filled); err != nil {
				return "", err
			}
		}
		filled, err = syscall.Mmap(-1, 0, mib<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		for i := 0; i < len(filled); i += os.Getpagesize() {
			filled[i] = 1
		}
		return "ok", err
	},
	"reserve": func(string) (string, error) {
		b, err := syscall.Mmap(-1, 0, 8<<30, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		return fmt.Sprint(len(b)), err
	},
	"executable-memory": func(string) (string, error) {
		_, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		return "ok", err
	},
	"raise-limit": func(string) (string, error) {
		return "ok", syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 1000, Max: 1000})
	},
	"spin": func(string) (string, error) {
		for i := 0; ; i++ {
			runtime.KeepAlive(i)
		}
	},
	"work": func(arg string) (string, error) {
		least, err := time.ParseDuration(arg)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for start := cputime.Thread(); cputime.Thread()-start < least; {
		}
		return "ok", err
	},
	"sleep": func(arg string) (string, error) {
		d, err := time.ParseDuration(arg)
		time.Sleep(d)
		return "ok", err
	},
	"panic": func(arg string) (string, error) { panic(arg) },
	"exit":  func(string) (string, error) { os.Exit(0); return "", nil },
	"abort": func(string) (string, error) { return "", syscall.Kill(os.Getpid(), syscall.SIGABRT) },
	"forge": func(string) (string, error) {
		_, err := syscall.Write(frameFD(), []byte{0xF7, 0, 0, 0, 0})
		return "ok", err
	},
	"boast": func(string) (string, error) {
		_, err := syscall.Write(frameFD(), []byte{1, 255, 255, 255, 255})
		return "ok", err
	},
	"babble": func(string) (string, error) { return strings.Repeat("x", 20<<20), nil },
}

// frameFD returns the descriptor of the frames in the child: the lowest one that is a pipe and not stdio.
func frameFD() int {
	for fd := 3; fd < 16; fd++ {
		var st syscall.Stat_t
		if syscall.Fstat(fd, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFIFO {
			return fd
		}
	}
	return -1
}
