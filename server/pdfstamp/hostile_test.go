//go:build !race

package pdfstamp_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/pdfstamp"
)

// hostile are files made to cost much. Each is refused with a reason, or cheap.
func hostile() map[string][]byte {
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	page := func(contents string) []byte {
		return pdfSpec{page: a4 + "/Contents 10 0 R", extra: []string{streamOf("/Filter/FlateDecode", deflate(contents))}}.build()
	}
	raw := func(objects string) []byte { return []byte("%PDF-1.7\n" + objects + "\nstartxref\n7\n%%EOF\n") }
	laughs := newHard()
	for n := range 30 {
		laughs.set(30+n, fmt.Sprintf("<</Type/Pages/Kids[%s]>>", many(fmt.Sprintf("%d 0 R ", 31+n), 10)))
	}
	laughs.set(60, laughs.objects[4])
	laughs.swap(2, "4 0 R", "30 0 R")
	kids := newHard()
	kids.swap(2, "4 0 R", many("4 0 R ", 400_000))
	rows := newHard()
	rows.table = func(s string) string { return strings.Replace(s, "0 7\n", "0 1000000000\n", 1) }
	index := newHard()
	index.kind, index.trailer = "stream", "/Index[0 1000000000]"
	sections := newHard()
	for range 2000 {
		sections.more = append(sections.more, revise(nil, ""))
	}
	itself := newHard()
	itself.kind, itself.packed = "stream", []int{4, 20}
	share := newHard()
	share.set(7, "["+many("5 0 R ", 100_000)+"]")
	var list strings.Builder
	for n := range 500 {
		share.set(100+n, strings.Replace(share.objects[4], "5 0 R", "7 0 R", 1))
		fmt.Fprintf(&list, "%d 0 R ", 100+n)
	}
	share.swap(2, "4 0 R", list.String())
	return map[string][]byte{
		"1 GiB in a stream":          pdfSpec{page: a4 + "/Contents 10 0 R", extra: []string{bomb(1024)}}.build(),
		"a bomb in a bomb":           pdfSpec{page: a4 + "/Contents 10 0 R", extra: []string{streamOf("/Filter[/FlateDecode/FlateDecode]", deflate(deflate(many("\x00", 60<<20))))}}.build(),
		"40 MiB a hundred times":     pdfSpec{page: a4 + "/Contents[" + many("10 0 R ", 100) + "]", extra: []string{bomb(40)}}.build(),
		"a tree that doubles":        laughs.build(),
		"a page 400,000 times":       kids.build(),
		"a table of 1e9 rows":        rows.build(),
		"a stream of 1e9 rows":       index.build(),
		"2,000 sections":             sections.build(),
		"an object stream in itself": itself.build(),
		"500 pages of 100,000":       share.build(),
		"20 million q":               page(many("q ", 20<<20)),
		"20 million Q":               page(many("Q ", 20<<20)),
		"30 million [":               page(many("[", 30<<20)),
		"images without end":         page(many("BI ID ", 10<<20)),
		"images with false ends":     page("BI ID " + many("\nEI\x80", 10<<20)),
		"strings without end":        raw(many("1 0 obj(", 2<<20)),
		"hex without end":            raw(many("1 0 obj<", 2<<20)),
		"comments without end":       raw(many("1 0 obj%", 2<<20)),
		"space without end":          raw(many("1 0 obj ", 10) + many(" ", 8<<20) + many("2 0 obj ", 1<<19)),
		"streams without end":        raw(many("1 0 obj<<>>stream ", 1<<20)),
		"deep arrays":                raw(many("1 0 obj"+many("[", 90), 100_000)),
		"trailers":                   raw(many("trailer<</Root 1 0 R>>", 100_000)),
		"objects of one name":        raw(many("1 0 obj 5 endobj ", 1<<20)),
		"deep":                       pdfSpec{page: a4, trailer: "/X" + many("[", 1_000_000)}.build(),
	}
}

// maxGrowth bounds what a hostile file may add to this process, which stands for
// the gateway: the file itself passes through it.
const maxGrowth = 64 << 20

// TestHostile: no file takes the stamper long, or much of the process that asks
// it. Runs alone, to measure its own memory.
func TestHostile(t *testing.T) {
	s := newStamper(t)
	for name, pdf := range hostile() {
		t.Run(name, func(t *testing.T) {
			debug.FreeOSMemory()
			before, most, stop := resident(t), atomic.Int64{}, make(chan struct{})
			go func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(5 * time.Millisecond):
						most.Store(max(most.Load(), resident(t)))
					}
				}
			}()
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var k sealed
			st, err := s.Stamp(ctx, pdf, pdfstamp.Placement{}, payload.Reference{1}, side, k.seal(payload.Reference{1}))
			close(stop)
			took, grown := time.Since(start), most.Load()-before
			if err != nil && fault.As(err).Kind != fault.Rejected && fault.As(err).Kind != fault.Invalid {
				t.Errorf("err = %v, want a reason", err)
			}
			if err == nil && !bytes.HasPrefix(st.PDF, pdf) {
				t.Error("the original is no prefix")
			}
			if grown > maxGrowth {
				t.Errorf("this process grew by %d MiB", grown>>20)
			}
			t.Logf("%.1f MB, %v, %d MiB: %v", float64(len(pdf))/1e6, took.Round(time.Millisecond), grown>>20, err)
		})
	}
}

// resident is the memory of this process in bytes.
func resident(t *testing.T) int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if os.IsNotExist(err) {
		return 0 // no such file on this system
	}
	if err != nil {
		t.Error(err)
		return 0
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		t.Error(err)
	}
	return pages * int64(os.Getpagesize())
}
