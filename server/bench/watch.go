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

// usage is the resources that a server and its child processes used during a watch.
type usage struct {
	cpu     time.Duration // including PostgreSQL's
	gateway int64         // bytes: largest resident memory of the server's own process
	all     int64         // bytes: largest sum of it and its children
}

// A watcher samples a server and its child processes until end.
type watcher struct {
	p    *process
	stop context.CancelFunc
	done chan struct{}
	all  int64
	cpu  time.Duration
	err  error
}

// watch begins a watch and resets the server's peak.
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

// A relative is a process with its values from /proc/PID/stat.
type relative struct {
	pid, parent int
	cpu         time.Duration // its own and that of its ended children
}

// family returns a process and all its descendants.
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

// familyCPU returns the processor time that a server, its children and PostgreSQL have
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

// resident returns the memory of a server and its children, in bytes. Shared memory counts
// for each of them.
func (p *process) resident() (sum int64, err error) {
	all, err := p.family()
	for _, r := range all {
		if n, err := memoryOf(r.pid, "VmRSS:"); err == nil { // else it ended meanwhile
			sum += n
		}
	}
	return sum, err
}

// memoryOf returns a value from /proc/PID/status, in bytes.
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
