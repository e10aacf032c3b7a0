package gateway_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tcode/cmd/internal/world"
	"tcode/offline/host/sandbox"
	"tcode/scanner/proof"
	"tcode/scanner/readback"
	"tcode/server"
	"tcode/server/issue/stamp"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// BenchmarkStampingCost measures the processor time of a stamp, of the gateway's
// process and of each kind of its children: with proof and comparison, and with
// the proof alone. The last line of each document is the ratio of both.
//
//	go test ./cmd/tests/gateway -run '^$' -bench StampingCost -benchtime 25x
func BenchmarkStampingCost(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as in a serving gateway
	for _, name := range []string{"letter.pdf", "diploma.pdf", "contract.pdf"} {
		var whole, alone time.Duration
		b.Run(name+"/whole", func(b *testing.B) { whole = stampingCost(b, name, false) })
		b.Run(name+"/proof-alone", func(b *testing.B) { alone = stampingCost(b, name, true) })
		if alone > 0 {
			b.Logf("%s: %.1f ms a stamp, %.1f ms with the proof alone, %.2f times", name, ms(whole), ms(alone), float64(whole)/float64(alone))
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// proofAlone compares nothing and searches for no caveats.
type proofAlone struct{ stamp.Readback }

func (proofAlone) Compare(context.Context, *io.SectionReader, *io.SectionReader, readback.Comparison) (readback.Compared, error) {
	return readback.Compared{Rendering: readback.Rendering{Pages: 1, Compared: 1}}, nil
}

func (proofAlone) Caveats(context.Context, *io.SectionReader) ([]string, error) { return nil, nil }

// stampingCost returns the processor time of one stamp of b.N.
func stampingCost(b *testing.B, name string, alone bool) time.Duration {
	b.Helper()
	full := proof.NewReader(sandbox.Config{}, "")
	b.Cleanup(full.Close)
	reader := stamp.Readback(full)
	if alone {
		reader = proofAlone{full}
	}
	g, err := server.Open(b.Context(), server.Config{Init: true, Data: b.TempDir(), Readback: reader})
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	if _, err := g.Tenants.CreateTenant(b.Context(), "Acme", "ACME01"); err != nil {
		b.Fatal(err)
	}
	key, err := g.Tenants.CreateKey(b.Context(), "ACME01", tenant.KeyOptions{Name: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	id, err := g.Tenants.Authenticate(b.Context(), key.Secret)
	if err != nil {
		b.Fatal(err)
	}
	serial, pdf := 0, world.Document(b, name)
	one := func() {
		serial++
		_, err := g.Stamps.Create(b.Context(), id, stamp.Request{Name: fmt.Sprint("n", serial), DocumentTypeCode: "DIP", PDF: spool.Bytes(pdf)})
		if err != nil {
			b.Fatal(err)
		}
	}
	for range 4 { // the children start
		one()
	}
	before, ended := cpuOfFamily(b), cpuOfEnded(b)
	b.ResetTimer()
	for b.Loop() {
		one()
	}
	b.StopTimer()
	after := cpuOfFamily(b)
	roles, sum := map[string]time.Duration{}, cpuOfEnded(b)-ended
	for p, now := range after {
		roles[p.role] += now - before[p]
		sum += now - before[p]
	}
	for p, then := range before {
		if _, lives := after[p]; !lives {
			sum -= then // earlier time was counted with the ended ones
		}
	}
	sum /= time.Duration(b.N)
	for _, role := range slices.Sorted(maps.Keys(roles)) {
		b.ReportMetric(ms(roles[role])/float64(b.N), role+"-ms/op")
	}
	b.ReportMetric(ms(sum), "cpu-ms/op")
	return sum
}

// A relative is this process or a child of it.
type relative struct {
	pid  int
	role string
}

// cpuOfFamily returns the processor time that this process and its present
// children have used so far.
func cpuOfFamily(b *testing.B) map[relative]time.Duration {
	b.Helper()
	out := map[relative]time.Duration{{os.Getpid(), "gateway"}: cpuOf(b, os.Getpid())}
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		b.Fatalf("no list of children: %v", err)
	}
	for _, list := range lists {
		raw, _ := os.ReadFile(list) // a thread may have ended
		for _, word := range strings.Fields(string(raw)) {
			pid, _ := strconv.Atoi(word)
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			if args := strings.Split(string(line), "\x00"); len(args) > 1 {
				out[relative{pid, args[1]}] = cpuOf(b, pid)
			}
		}
	}
	return out
}

// cpuOfEnded returns the processor time of children that have ended.
func cpuOfEnded(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cpuOf returns the processor time of a process (clock_getcpuclockid(3)).
func cpuOf(b *testing.B, pid int) time.Duration {
	b.Helper()
	var t unix.Timespec
	if err := unix.ClockGettime(^int32(pid)<<3|2, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}
