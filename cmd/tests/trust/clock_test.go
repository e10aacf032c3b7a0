package trust_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline"
	"tcode/sync/feed"
)

// A device's clock is this machine's. These tests make the gateway's clock
// wrong, or use a device with another clock on the same home.

// A mirror is between devices and the gateway.
type mirror struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string
	answer func(rw http.ResponseWriter, name string) bool // called first; true: it has answered
}

func (m *mirror) set(answer func(rw http.ResponseWriter, name string) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer, m.asked = answer, nil
}

// count returns the number of requests whose name begins with prefix.
func (m *mirror) count(prefix string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range m.asked {
		if strings.HasPrefix(name, prefix) {
			n++
		}
	}
	return n
}

// timeless answers as a static mirror, which gives no time.
func timeless(rw http.ResponseWriter, name string) bool {
	if name == "time" {
		rw.WriteHeader(http.StatusNotFound)
	}
	return name == "time"
}

// newMirror returns a mirror of the gateway, which gives no time.
func newMirror(w *world.World) *mirror {
	gateway, err := url.Parse(w.URL())
	if err != nil {
		w.T.Fatal(err)
	}
	m := &mirror{answer: timeless}
	proxy := httputil.NewSingleHostReverseProxy(gateway)
	m.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		name, _ := strings.CutPrefix(r.URL.Path, feed.Path)
		m.mu.Lock()
		m.asked = append(m.asked, name)
		answer := m.answer
		m.mu.Unlock()
		if answer == nil || !answer(rw, name) {
			proxy.ServeHTTP(rw, r)
		}
	}))
	w.T.Cleanup(m.Close)
	return m
}

// TestReplayedTimestamp: a device's clock is three days behind its documents. A
// mirror that answers with documents that the device holds already, or with an
// old time note, makes nothing fresh; the gateway's own answer does.
func TestReplayedTimestamp(t *testing.T) {
	w := world.New(t, 1)
	w.Ahead.Store(int64(3 * world.Day))
	stamped := w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1))
	pdf := w.File("paper.pdf", stamped.PDF)
	m := newMirror(w)
	scan := w.ScanAnswers("home")
	w.AwaitPublished(3 * world.Day)
	if _, out, code := scan("enrol", "--gateway", m.URL); code != 0 || !strings.Contains(out, `"provenTime":false`) {
		t.Fatalf("enrol: exit code %d\n%s", code, out)
	}
	replay := timeNote(w, strings.Repeat("00", 32))
	for name, answer := range map[string]func(rw http.ResponseWriter, name string) bool{
		"no time": timeless,
		"an old answer": func(rw http.ResponseWriter, name string) bool {
			if name == "time" {
				rw.Write(replay)
			}
			return name == "time"
		},
	} {
		m.set(answer)
		got, out, code := scan("verify", "--refresh", "--require-fresh", pdf)
		if len(got) != 1 || got[0].Verdict != "unverified" || !got[0].Stale || !got[0].ClockSuspect || got[0].Basis != "device_clock" || code != 1 {
			t.Errorf("%s: exit code %d\n%s", name, code, out)
		}
	}
	m.set(nil)
	got, out, code := scan("verify", "--refresh", "--require-fresh", "--require-proven-time", pdf)
	if len(got) != 1 || got[0].Verdict != "valid" || got[0].Stale || got[0].Basis != "proven" || code != 0 {
		t.Errorf("by the gateway: exit code %d\n%s", code, out)
	}
	m.set(timeless)
	// The proof outlives the program, but not the start of the machine.
	if got, out, code = scan("verify", "--require-proven-time", pdf); got[0].Basis != "proven" || code != 0 {
		t.Errorf("the next run: exit code %d\n%s", code, out)
	}
	dev := w.DeviceAt("home", 0, "next")
	if f := w.Verify(dev, stamped.PDF); f[0].Result.Basis != offline.DeviceClock ||
		f[0].Result.Verdict != offline.Unverified || !f[0].Result.ClockSuspect {
		t.Errorf("after a start of the machine: %+v", f[0].Result)
	}
}

// TestClockRanAhead: one scan recorded 400 days ahead blocks the device until the
// gateway proves the time, by a refresh or by a receipt, and then never again.
func TestClockRanAhead(t *testing.T) {
	w := world.New(t, 1)
	w.AwaitPublished(0)
	stamped := w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1))
	pdf := w.File("paper.pdf", stamped.PDF)
	m := newMirror(w)
	for _, how := range []string{"trust refresh", "sync"} {
		home := strings.ReplaceAll(how, " ", "-")
		scan := w.ScanAnswers(home)
		if _, out, code := scan("enrol", "--gateway", m.URL); code != 0 {
			t.Fatalf("enrol: %s", out)
		}
		ahead := w.DeviceAt(home, 400*world.Day, "an earlier start")
		w.Verify(ahead, stamped.PDF)
		ahead.Close()
		if got, out, code := scan("verify", pdf); got[0].Verdict != "unverified" || !got[0].ClockSuspect || code != 1 {
			t.Errorf("%s: before: exit code %d\n%s", how, code, out)
		}
		if _, out, code := scan(append(strings.Fields(how), "--gateway", w.URL())...); code != 0 {
			t.Errorf("%s: exit code %d\n%s", how, code, out)
		}
		if got, out, code := scan("verify", "--require-fresh", "--require-proven-time", pdf); got[0].Verdict != "valid" || got[0].ClockSuspect || code != 0 {
			t.Errorf("%s: after: exit code %d\n%s", how, code, out)
		}
		next := w.DeviceAt(home, time.Minute, "next")
		if f := w.Verify(next, stamped.PDF); f[0].Result.Verdict != offline.Valid ||
			f[0].Result.Stale || f[0].Result.ClockSuspect ||
			f[0].Result.Basis != offline.DeviceClock {
			t.Errorf("%s: after a start of the machine: %+v", how, f[0].Result)
		}
		got, out, _ := scan("history")
		marked, told := 0, 0
		for _, a := range got {
			if a.ClockWasAhead {
				marked++
			}
			if a.Event == "clock_was_ahead" {
				told++
			}
		}
		if marked != 1 || told != 1 {
			t.Errorf("%s: history marks %d scans and reports %d corrections:\n%s", how, marked, told, out)
		}
	}
}

// TestGatewayRanAhead: a gateway has published 400 days ahead; then its clock
// is corrected and it publishes again. Its devices follow a proof; a device
// without a network follows an operator.
func TestGatewayRanAhead(t *testing.T) {
	w := world.New(t, 1)
	w.Ahead.Store(int64(400 * world.Day))
	w.AwaitPublished(400 * world.Day)
	m := newMirror(w)
	online, alone := w.ScanAnswers("online"), w.ScanAnswers("alone")
	if _, out, code := online("enrol", "--gateway", w.URL()); code != 0 {
		t.Fatal(out)
	}
	if _, out, code := alone("enrol", "--gateway", m.URL); code != 0 {
		t.Fatal(out)
	}
	w.Ahead.Store(0)
	w.AwaitPublished(0)
	pdf := w.File("paper.pdf", w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1)).PDF)
	got, out, code := online("verify", "--refresh", "--require-fresh", "--require-proven-time", pdf)
	if got[0].Verdict != "valid" || code != 0 {
		t.Errorf("by a proof: exit code %d\n%s", code, out)
	}
	file := filepath.Join(w.Dir, "trust.export")
	if _, out, code = online("trust", "export", file); code != 0 {
		t.Fatal(out)
	}
	if _, out, code = alone("trust", "import", file); code != 0 {
		t.Fatal(out)
	}
	if got, out, code = alone("verify", pdf); got[0].Verdict != "unverified" || !got[0].ClockSuspect || code != 1 {
		t.Errorf("alone: exit code %d\n%s", code, out)
	}
	if _, out, code = alone("clock", "confirm"); code != 2 {
		t.Errorf("confirm without a word: exit code %d\n%s", code, out)
	}
	if _, out, code = alone("clock", "confirm", time.Now().Add(time.Hour).Format(time.RFC3339)); code != 1 {
		t.Errorf("confirm of another time: exit code %d\n%s", code, out)
	}
	if got, out, code = alone("clock", "confirm", "--yes"); code != 0 || got[0].ClockSuspect || got[0].Basis != "device_clock" {
		t.Errorf("confirm: exit code %d\n%s", code, out)
	}
	if got, out, code = alone("verify", "--require-fresh", pdf); got[0].Verdict != "valid" || got[0].Basis != "device_clock" || code != 0 {
		t.Errorf("alone, confirmed: exit code %d\n%s", code, out)
	}
	if _, out, code = alone("verify", "--require-proven-time", pdf); code != 1 {
		t.Errorf("a word is no proof: exit code %d\n%s", code, out)
	}
	if _, out, _ = alone("history"); strings.Count(out, `"clock_confirmed"`) != 1 {
		t.Errorf("history does not tell:\n%s", out)
	}
	if _, out, code = online("clock", "confirm", "--yes"); code != 1 || !strings.Contains(out, "nothing to confirm") {
		t.Errorf("confirm after a proof: exit code %d\n%s", code, out)
	}
}

// TestSlowRefresh: garbage ends the refresh immediately, silence ends it at the
// deadline, and the verdict comes in both cases.
func TestSlowRefresh(t *testing.T) {
	w := world.New(t, 1)
	w.AwaitPublished(0)
	pdf := w.File("paper.pdf", w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1)).PDF)
	m := newMirror(w)
	m.set(nil)
	scan := w.ScanAnswers("home")
	if _, out, code := scan("enrol", "--gateway", m.URL); code != 0 {
		t.Fatal(out)
	}
	m.set(func(rw http.ResponseWriter, name string) bool {
		time.Sleep(300 * time.Millisecond)
		rw.Write([]byte("garbage"))
		return true
	})
	got, out, code := scan("verify", "--refresh", pdf)
	if len(got) != 1 || got[0].Verdict != "valid" || code != 0 || !strings.Contains(out, "wrong type line") {
		t.Errorf("garbage: exit code %d\n%s", code, out)
	}
	if n := m.count("root/"); n != 1 {
		t.Errorf("asked for %d roots after garbage", n)
	}
	done := make(chan struct{})
	defer close(done)
	m.set(func(http.ResponseWriter, string) bool { <-done; return true })
	got, out, code = scan("verify", "--refresh", "--refresh-timeout", "500ms", pdf)
	if len(got) != 1 || got[0].Verdict != "valid" || code != 0 || !strings.Contains(out, "gateway too slow") {
		t.Errorf("silence: exit code %d\n%s", code, out)
	}
	if n := m.count(""); n != 1 {
		t.Errorf("%d requests within one deadline", n)
	}
}

// timeNote returns the gateway's answer to a nonce.
func timeNote(w *world.World, nonce string) []byte {
	w.T.Helper()
	res, err := http.Get(w.URL() + feed.Path + "time?nonce=" + nonce)
	if err != nil {
		w.T.Fatal(err)
	}
	return []byte(world.ReadAll(w.T, res.Body))
}
