// Package containtest builds the programs with seeded faults, for tests: see Seed of package
// contain.
package containtest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// built are the programs that this test program has built.
var built struct {
	mu   sync.Mutex
	dir  string
	end  io.Closer        // removes dir when it is closed, by the end of the process
	done map[string]error // by name
}

// Program returns the path of a program of this module, such as tcode-gateway, which has faults on
// demand. It is built once, and removed when the test program ends, in whichever way.
func Program(t testing.TB, name string) string {
	t.Helper()
	built.mu.Lock()
	defer built.mu.Unlock()
	if built.dir == "" {
		var err error
		if built.dir, built.end, err = folder(); err != nil {
			t.Fatal(err)
		}
		built.done = map[string]error{}
	}
	path := filepath.Join(built.dir, name)
	if _, ok := built.done[name]; !ok {
		out, err := exec.Command("go", "build", "-tags", "seeded", "-o", path,
			"tcode/cmd/"+name).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("go build: %w\n%s", err, out)
		}
		built.done[name] = err
	}
	if err := built.done[name]; err != nil {
		t.Fatal(err)
	}
	return path
}

// folder makes a folder, which another process removes when end is closed, or lost with this
// process.
func folder() (dir string, end io.Closer, err error) {
	if dir, err = os.MkdirTemp("", "tcode-seeded-"); err != nil {
		return "", nil, err
	}
	remove := exec.Command("sh", "-c", `trap "" INT TERM HUP; read end; rm -rf "$0"`, dir)
	if end, err = remove.StdinPipe(); err != nil {
		return "", nil, err
	}
	return dir, end, remove.Start()
}
