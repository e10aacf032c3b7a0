//go:build linux

package seeded_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A cell of the matrix is a kind of item, with the way to it, that has a fault.
type cell struct {
	way
	kind, fault string
}

// few are the cells of a usual run: those of one gateway.
var few = map[string]string{
	"panic": `child-pdfstamp stamp-caveats stamp-ground console-door readiness
		request-listStamps request-createStamp request-verifyByReference request-getUsage`,
	"exit":   "request-listStamps child-pdfstamp",
	"memory": "request-listStamps child-pdfstamp",
	"hang": `request-listStamps request-createStamp request-getUsage request-verifyByReference
		child-pdfstamp`,
}

// faults are all faults. Those that hang stay in a gateway, so they are the last.
var faults = []string{"panic", "exit", "memory", "hang"}

// asked are the kinds that TCODE_FAULTS names, in place of few: all, or a list with commas.
func asked(t *testing.T) (list []string) {
	t.Helper()
	switch names := os.Getenv("TCODE_FAULTS"); names {
	case "":
		return nil
	case "all":
		list = kinds(t)
		if len(list) < 150 {
			t.Fatalf("%d kinds of items are in the code: the test does not find them", len(list))
		}
		return list
	default:
		return strings.Split(names, ",")
	}
}

// size is the most cells of one gateway: with more than 32 that hang it is not ready.
const size = 24

// groups are the cells of this run, those of a gateway together.
func groups(t *testing.T) (list [][]cell) {
	t.Helper()
	var usual []cell
	for _, fault := range faults {
		names := asked(t)
		if names == nil {
			for kind := range strings.FieldsSeq(few[fault]) {
				w, _ := wayOf(t, kind)
				usual = append(usual, cell{w, kind, fault})
			}
			continue
		}
		var together []cell
		for _, kind := range names {
			if w, ok := wayOf(t, kind); !ok {
				continue // of TestWays
			} else if c := (cell{w, kind, fault}); w.alone {
				list = append(list, []cell{c})
			} else {
				together = append(together, c)
			}
		}
		list = slices.AppendSeq(list, slices.Chunk(together, size))
	}
	if usual != nil {
		list = [][]cell{usual}
	}
	return list
}

// TestWays: there is a way to the items of each kind, or a reason why there is none.
func TestWays(t *testing.T) {
	t.Parallel()
	all := kinds(t)
	for kind := range maps.Keys(unreached) {
		if !slices.Contains(all, kind) {
			t.Errorf("no code names the kind %s", kind)
		}
	}
	for _, kind := range all {
		_, way := wayOf(t, kind)
		_, life := lifelong[kind]
		if reason := unreached[kind]; !way && !life && reason == "" {
			t.Errorf("no way leads to the kind %s", kind)
		}
	}
}

// TestFaults: an item of each kind has each fault.
//
//   - A panic: the gateway answers for it, logs and counts it once, and does the next item.
//   - A hang: the gateway answers a request, and does others.
//   - The end of the process, or endless memory: the gateway ends within its limit of memory, says so,
//     and works after its next start. A child process ends alone.
//
// In the end the gateway works, and SIGTERM ends it.
func TestFaults(t *testing.T) {
	t.Parallel()
	for i, group := range groups(t) {
		t.Run(fmt.Sprint(group[0].fault, "-", i, "-", group[0].kind), func(t *testing.T) {
			t.Parallel()
			g := newGatewayFor(t, group, "--request-time", "5s", "--memory-max", "512")
			var hanging sync.WaitGroup
			answers := 0
			for _, c := range group {
				switch {
				case c.fault == "panic":
					g.panics(c)
				case c.fault != "hang":
					g.exits(c)
				case answered(c.kind):
					answers++
					hanging.Go(func() { g.hangs(c) })
				default:
					g.hangs(c)
				}
			}
			hanging.Wait()
			last := group[len(group)-1]
			if now, _ := g.faults(); last.fault == "hang" && now < answers {
				t.Errorf("%d requests hung, and %d faults are counted", answers, now)
			}
			if last.fault == "hang" && last.vital {
				g.limps()
			} else {
				g.works()
			}
			if code := g.end(); code != 0 && last.fault != "hang" {
				t.Errorf("exit code %d\n%s", code, g.said())
			}
		})
	}
}

// reach is how long a fault may take to happen, and settle is how long its item may take afterwards.
const (
	reach  = 40 * time.Second
	settle = 5 * time.Second
)

// happen gives the next item of the kind of c its fault, and waits for it. It returns the status of
// the answer, and whether the fault happened.
func (g *gateway) happen(c cell) (status int, happened bool) {
	g.t.Helper()
	file, fault := c.kind, c.fault
	if c.within != "" {
		file, fault = c.within, c.kind+"="+fault
	}
	is := g.seed(file, fault)
	if c.start {
		g.end()
		if g.serve() != nil {
			return 0, is()
		}
	}
	gone, cancel := context.WithTimeout(context.Background(), reach)
	defer cancel()
	go func() {
		for gone.Err() == nil && !is() {
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(settle)
		cancel()
	}()
	for status = http.StatusServiceUnavailable; !is() && busy(status) && gone.Err() == nil; {
		status = c.do(g, gone)
	}
	if !is() {
		os.Remove(filepath.Join(g.seeds, file)) //nolint:errcheck // it happens now
		g.t.Errorf("%s: no item of it; the answer is %d", c.kind, status)
		return status, false
	}
	return status, true
}

// busy reports whether an answer says that the client is to try again.
func busy(status int) bool {
	return status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests
}

// answered reports whether items of a kind are requests with an answer of their own.
func answered(kind string) bool {
	return strings.HasPrefix(kind, "console-") ||
		strings.HasPrefix(kind, "request-") && kind != "request-end" && kind != "request-counts"
}

// panics has an item panic.
func (g *gateway) panics(c cell) {
	g.t.Helper()
	before := 0
	if answered(c.kind) {
		before = c.do(g, g.t.Context())
	}
	counted, logged := g.faults()
	process := g.cmd
	status, happened := g.happen(c)
	if !happened {
		return
	}
	if process != g.cmd { // it was started again
		counted, logged = 0, 0
	}
	if answered(c.kind) && status != http.StatusInternalServerError {
		g.t.Errorf("%s panics, and is answered %d", c.kind, status)
	}
	c2, l2 := g.faults()
	if !inChild(c) && (c2-counted != 1 || l2-logged != 1) {
		g.t.Errorf("%s: %d faults are counted, and %d logged\n%s", c.kind, c2-counted, l2-logged, g.said())
	}
	g.until(http.StatusOK)
	if c.second {
		return
	}
	gone, cancel := context.WithTimeout(context.Background(), reach)
	defer cancel()
	if got := c.do(g, gone); got == 0 || got >= 500 || before != 0 && got != before {
		g.t.Errorf("%s: the next item is answered %d, want %d\n%s", c.kind, got, before, g.said())
	}
}

// counter is a line of the metrics about faults.
var counter = regexp.MustCompile(`(?m)^tcode_contained_faults_total\{.*\} (\d+)$`)

// faults returns how many faults are counted, and how many are logged.
func (g *gateway) faults() (counted, logged int) {
	g.t.Helper()
	time.Sleep(50 * time.Millisecond) // the log is written in the background
	_, text := g.watch("/metrics")
	for _, m := range counter.FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.Atoi(m[1])
		must(g.t, err)
		counted += n
	}
	return counted, strings.Count(g.log.String(), `"msg":"a fault of one item was contained"`)
}

// hangs has an item hang.
func (g *gateway) hangs(c cell) {
	g.t.Helper()
	status, happened := g.happen(c)
	if happened && answered(c.kind) && status != http.StatusServiceUnavailable {
		g.t.Errorf("%s hangs, and is answered %d", c.kind, status)
	}
}

// limps fails the test unless the gateway says that it cannot stamp, and does all else.
func (g *gateway) limps() {
	g.t.Helper()
	g.until(http.StatusServiceUnavailable)
	if status, answer := g.send("GET", "/v1/tcode/stamps", nil); status != http.StatusOK {
		g.t.Errorf("a list: %d %s", status, answer)
	}
}

// exits has an item end its process.
func (g *gateway) exits(c cell) {
	g.t.Helper()
	if _, happened := g.happen(c); !happened || inChild(c) {
		return
	}
	want := map[string]int{"exit": 7, "memory": 1}[c.fault]
	if got := g.ended(time.Minute); got != want {
		g.t.Errorf("%s, %s: exit code %d, want %d\n%s", c.kind, c.fault, got, want, g.said())
		g.cmd.Process.Kill() //nolint:errcheck // it may have ended
		g.ended(time.Minute)
	}
	if said := strings.Contains(g.log.String(), "--memory-max"); said != (c.fault == "memory") {
		g.t.Errorf("%s, %s: the log:\n%s", c.kind, c.fault, g.said())
	}
	g.start()
}
