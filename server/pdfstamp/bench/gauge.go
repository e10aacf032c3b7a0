package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A gauge measures the memory of this process and its child. The figure that wait4
// returns for a child begins with the memory of its parent, so the gauge reads the
// child's status while the child runs. The gauge does little work and allocates
// little, because its own use is measured too.
type gauge struct {
	pid     string // of the child
	child   int64  // bytes, largest resident set of a child
	program int64  // bytes of the program itself that both have in memory

	status [4 << 10]byte // of a process, as it was read last

	stop, done chan struct{}
}

// lookEvery is the interval between two readings. The system keeps the maximum of a
// child, so the gauge misses only a child that is replaced between two readings.
const lookEvery = 20 * time.Millisecond

// newGauge measures this process and its child. The child must be started and idle:
// the files that it maps are then the program alone.
func newGauge() *gauge {
	g := &gauge{stop: make(chan struct{}), done: make(chan struct{})}
	g.look()
	g.program = min(g.field("self", "RssFile:"), g.field(g.pid, "RssFile:"))
	go func() {
		defer close(g.done)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-g.stop:
				return
			case <-tick.C:
				g.look()
			}
		}
	}()
	return g
}

func (g *gauge) look() {
	n := g.field(g.pid, "VmHWM:")
	if n == 0 { // none yet, or another one
		g.pid = childOf()
		n = g.field(g.pid, "VmHWM:")
	}
	g.child = max(g.child, n)
}

// tell writes the memory of both processes twice: as the sum of their largest
// resident sets, and with the shared program counted once.
func (g *gauge) tell(w io.Writer) {
	close(g.stop)
	<-g.done
	g.look()
	sum := g.field("self", "VmHWM:") + g.child
	fmt.Fprintln(w, memoryLine, sum-g.program, sum)
}

// memoryLine begins the line of [gauge.tell].
const memoryLine = "resident-bytes"

// childOf returns the process id of this process' child; "" if it has none.
func childOf() string {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, name := range lists {
		raw, _ := os.ReadFile(name)
		if pids := strings.Fields(string(raw)); len(pids) > 0 {
			return pids[0]
		}
	}
	return ""
}

// field returns a field of a process' status in bytes; 0 if there is none.
func (g *gauge) field(pid, name string) int64 {
	f, err := os.Open("/proc/" + pid + "/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	n, _ := f.Read(g.status[:])
	_, rest, _ := bytes.Cut(g.status[:n], []byte(name))
	rest, _, _ = bytes.Cut(rest, []byte(" kB"))
	kb, err := strconv.ParseInt(string(bytes.TrimSpace(rest)), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}
