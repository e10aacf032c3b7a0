package cmd_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestKilledChildren: when the system, or a person, kills a child process
// during a stamping, the file is not at fault: it is stamped nevertheless, or
// refused for now. TCODE_STAMPS_UNDER_FIRE is the number of requested stamps.
func TestKilledChildren(t *testing.T) {
	w := newWorld(t, 1)
	w.down()
	gateway := w.serve()
	defer gateway.kill()
	pdf := document(t, "diploma.pdf")
	w.answer("warm", pdf) // compiles PDFium, if that is not done
	ctx, calm := context.WithCancel(t.Context())
	var killer sync.WaitGroup
	kills := 0
	killer.Go(func() {
		for r := rand.New(rand.NewPCG(1, 2)); ctx.Err() == nil; time.Sleep(time.Duration(100+r.IntN(300)) * time.Millisecond) {
			if all := childrenOf(gateway.cmd.Process.Pid); len(all) > 0 && syscall.Kill(all[r.IntN(len(all))], syscall.SIGKILL) == nil {
				kills++
			}
		}
	})
	statuses := map[int]int{}
	for i := range count(t, "TCODE_STAMPS_UNDER_FIRE", 30) {
		a := w.answer(fmt.Sprint("under fire ", i), pdf)
		if statuses[a.status]++; a.status != http.StatusCreated && a.status != http.StatusServiceUnavailable {
			t.Errorf("%d %s %s", a.status, a.code, a.message)
		}
	}
	calm()
	killer.Wait()
	t.Logf("%d children killed; answers %v", kills, statuses)
	if a := w.answer("calm", pdf); a.status != http.StatusCreated || kills == 0 {
		t.Errorf("after %d kills: %d %s %s", kills, a.status, a.code, a.message)
	}
}

// childrenOf lists the children of a process.
func childrenOf(pid int) (all []int) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil
	}
	for _, name := range tasks {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, word := range strings.Fields(string(raw)) {
			if child, err := strconv.Atoi(word); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}
