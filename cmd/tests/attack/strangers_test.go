package attack_test

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/cmd/internal/world"
)

// Bytes that strangers may take of a gateway.
const (
	strangersDisk   = 64 << 20
	strangersMemory = 256 << 20
	// A run of seconds is one burst, in which no collection of garbage may have ended yet.
	burstMemory = 384 << 20
)

// TestStrangers: strangers at one address, and then at 1,000, do everything that a gateway answers
// without a key, concurrently. It is the program with its usual limits, on SQLite. Each address is
// that of its own connections (127.x.y.z), as without a proxy. The gateway takes a bounded part of
// the disk and of memory, and answers a tenant and its devices all the time.
// TCODE_STRANGERS=10m is the full length for each number of addresses.
func TestStrangers(t *testing.T) {
	length := 3 * time.Second
	if long := os.Getenv("TCODE_STRANGERS"); long != "" {
		var err error
		if length, err = time.ParseDuration(long); err != nil {
			t.Fatal(err)
		}
	}
	for _, addresses := range []int{1, 1000} {
		t.Run(fmt.Sprint(addresses), func(t *testing.T) { testStrangers(t, addresses, length) })
	}
}

func testStrangers(t *testing.T, addresses int, length time.Duration) {
	w := world.New(t, 1)
	s := serveProgram(w, "--cache", filepath.Join(w.Dir, "cache"))
	h := newHonest(s)
	h.warmUp()
	rest, disk := measureRest(t, s, w.Data)
	ctx, end := context.WithTimeout(t.Context(), length)
	defer end()
	var all sync.WaitGroup
	var peak, own int64
	all.Go(func() { peak, own = watchMemory(ctx, s) })
	crowd := newStrangers(h, addresses)
	crowd.run(ctx, &all)
	h.run(ctx, &all)
	all.Wait()
	h.report(t)
	crowd.report(t)

	grown := onDisk(t, w.Data) - disk
	t.Logf("%d addresses, %v: memory at rest %d MiB, at most %d MiB, of which the gateway itself has %d MiB; "+
		"disk %d MiB, %d MiB more", addresses, length, rest>>20, peak>>20, own>>20, disk>>20, grown>>20)
	if grown > strangersDisk {
		t.Errorf("%d MiB more on the disk", grown>>20)
	}
	most := int64(strangersMemory)
	if length < time.Minute {
		most = burstMemory
	}
	if peak-rest > most {
		t.Errorf("%d MiB more of memory", (peak-rest)>>20)
	}
	s.stop()
	program := world.Program(t, "tcode-gateway")
	if out, err := exec.Command(program, "--data", w.Data, "fsck").CombinedOutput(); err != nil {
		t.Errorf("fsck: %v\n%s", err, out)
	}
}

// measureRest returns the resident set of the process tree and the size of the data folder once
// the gateway is ready.
func measureRest(t *testing.T, s *served, data string) (memory, disk int64) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		res, err := http.Get(s.url + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return residents(s.pid), onDisk(t, data)
		}
		if time.Now().After(end) {
			t.Fatalf("not ready: %s", res.Status)
		}
	}
}

// watchMemory returns the largest resident set of the process tree until ctx ends, and what the
// gateway itself had of it.
func watchMemory(ctx context.Context, s *served) (most, own int64) {
	for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		if n := residents(s.pid); n > most {
			most, own = n, resident(s.pid)
		}
	}
	return most, own
}

// resident returns the resident bytes of a process, without pages of files.
func resident(pid int) (n int64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // it has ended
	}
	if _, rest, ok := strings.Cut(string(status), "RssAnon:"); ok {
		var kb int64
		if _, err := fmt.Sscan(rest, &kb); err == nil {
			n = kb << 10
		}
	}
	return n
}

// residents returns the resident bytes of a process and its children.
func residents(pid int) (n int64) {
	n = resident(pid)
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return n
	}
	for _, name := range tasks {
		list, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, child := range strings.Fields(string(list)) {
			var id int
			if _, err := fmt.Sscan(child, &id); err == nil {
				n += residents(id)
			}
		}
	}
	return n
}

// onDisk returns the size of the files of a folder.
func onDisk(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if os.IsNotExist(err) || err == nil && e.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
