package device_test

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

	"tcode/cmd/internal/world"
)

// TestKilledChildren: when the system, or a person, kills a child process
// during a stamping, the file is not at fault: it is stamped nevertheless, or
// refused for now. TCODE_STAMPS_UNDER_FIRE is the number of requested stamps.
func TestKilledChildren(t *testing.T) {
	w := world.New(t, 1)
	w.Down()
	gateway := startProgram(w)
	defer gateway.kill()
	pdf := world.Document(t, "diploma.pdf")
	w.Answer("warm", pdf) // compiles PDFium, if that is not done
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
	for i := range world.Count(t, "TCODE_STAMPS_UNDER_FIRE", 15) {
		a := w.Answer(fmt.Sprint("under fire ", i), pdf)
		if statuses[a.Status]++; a.Status != http.StatusCreated &&
			a.Status != http.StatusServiceUnavailable {
			t.Errorf("%d %s %s", a.Status, a.Code, a.Message)
		}
	}
	calm()
	killer.Wait()
	t.Logf("%d children killed; answers %v", kills, statuses)
	if a := w.Answer("calm", pdf); a.Status != http.StatusCreated || kills == 0 {
		t.Errorf("after %d kills: %d %s %s", kills, a.Status, a.Code, a.Message)
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
