package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tcode/server/store/storetest"
)

// usage is what a server and its child processes used while they were watched.
type usage struct {
	cpu     time.Duration // with that of PostgreSQL
	gateway int64         // bytes: the most that was resident in the server's own process
	all     int64         // bytes: the most in it and its children together
}

// A watcher looks at a server and its child processes until it is told to end.
type watcher struct {
	p    *process
	stop context.CancelFunc
	done chan struct{}
	all  int64
	cpu  time.Duration
	err  error
}

// watch begins; the server's peak begins anew.
func watch(ctx context.Context, p *process) (*watcher, error) {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.pid), []byte("5"), 0); err != nil {
		return nil, err
	}
	w := &watcher{p: p, done: make(chan struct{})}
	var err error
	if w.cpu, err = p.familyCPU(); err != nil {
		return nil, err
	}
	ctx, w.stop = context.WithCancel(ctx)
	go func() {
		defer close(w.done)
		for ctx.Err() == nil {
			now, err := p.resident()
			w.all, w.err = max(w.all, now), errors.Join(w.err, err)
			select {
			case <-time.After(lookEvery):
			case <-ctx.Done():
			}
		}
	}()
	return w, nil
}

// end stops watching.
func (w *watcher) end() (usage, error) {
	w.stop()
	<-w.done
	cpu, err := w.p.familyCPU()
	if err = errors.Join(w.err, err); err != nil {
		return usage{}, err
	}
	peak, err := memoryOf(w.p.pid, "VmHWM:")
	return usage{cpu - w.cpu, peak, w.all}, err
}

// A relative is a process as /proc/PID/stat shows it.
type relative struct {
	pid, parent int
	cpu         time.Duration // its own and that of its children that ended
}

// family is a process and all that descend from it.
func (p *process) family() ([]relative, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	children, byPID := map[int][]relative{}, map[int]relative{}
	for _, name := range stats {
		raw, err := os.ReadFile(name) //nolint:gosec // a name of /proc
		if err != nil {
			continue // ended meanwhile
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		f := strings.Fields(rest) // from the third field on: state, ppid, ... (proc(5))
		if len(f) < 15 {
			continue
		}
		var r relative
		r.pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(name)))
		r.parent, _ = strconv.Atoi(f[1])
		for _, ticks := range f[11:15] { // utime, stime, cutime, cstime
			n, _ := strconv.ParseInt(ticks, 10, 64)
			r.cpu += time.Duration(n) * 10 * time.Millisecond
		}
		byPID[r.pid] = r
		children[r.parent] = append(children[r.parent], r)
	}
	first, ok := byPID[p.pid]
	if !ok {
		return nil, fmt.Errorf("%s has ended", p.name)
	}
	out := []relative{first}
	for i := 0; i < len(out); i++ {
		out = slices.Concat(out, children[out[i].pid])
	}
	return out, nil
}

// familyCPU is the processor time that a server, its children and PostgreSQL
// used so far.
func (p *process) familyCPU() (sum time.Duration, err error) {
	all, err := p.family()
	for _, r := range all {
		sum += r.cpu
	}
	if p.tb != nil {
		sum += storetest.ServerCPU(p.tb)
	}
	return sum, err
}

// resident is the memory of a server and its children, in bytes. What they
// share counts for each.
func (p *process) resident() (sum int64, err error) {
	all, err := p.family()
	for _, r := range all {
		if n, err := memoryOf(r.pid, "VmRSS:"); err == nil { // else it ended meanwhile
			sum += n
		}
	}
	return sum, err
}

// memoryOf reads a line of /proc/PID/status, in bytes.
func memoryOf(pid int, line string) (int64, error) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(raw), line)
	if !ok {
		return 0, fmt.Errorf("process %d has no %s", pid, line)
	}
	text, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kib, err := strconv.ParseInt(text, 10, 64)
	return kib << 10, err
}
