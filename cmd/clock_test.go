package cmd_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/sync/feed"
)

// A device's clock is this machine's. These tests make the gateway's clock
// wrong, or use a device with another clock on the same home.

const day = 24 * time.Hour

// told is the output of `tcode-scan --json` of any command used here.
type told struct {
	Verdict, Basis, Event, Reason string
	Stale, ClockSuspect           bool
	ClockWasAhead                 bool
	Advice                        string
}

// scanning returns a function that runs tcode-scan on a home; the answers are
// its lines of JSON. A run of a minute has hung.
func (w *world) scanning(home string) func(args ...string) (answers []told, output string, code int) {
	return func(args ...string) ([]told, string, int) {
		w.t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, program(w.t.(*testing.T), "tcode-scan"), append([]string{"--home", filepath.Join(w.dir, home), "--json"}, args...)...)
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		code := exitCode(w.t.(*testing.T), cmd.Run())
		if ctx.Err() != nil {
			w.t.Fatalf("tcode-scan %v has hung", args)
		}
		var all []told
		for line := range strings.Lines(out.String()) {
			var a told
			if err := json.Unmarshal([]byte(line), &a); err != nil {
				w.t.Fatalf("%q: %v", line, err)
			}
			all = append(all, a)
		}
		return all, out.String() + errs.String(), code
	}
}

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

func (w *world) mirror() *mirror {
	gateway, err := url.Parse(w.url())
	if err != nil {
		w.t.Fatal(err)
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
	w.t.Cleanup(m.Close)
	return m
}

// TestReplayedTimestamp: a device's clock is three days behind its documents. A
// mirror that answers with documents that the device holds already, or with an
// old time note, makes nothing fresh; the gateway's own answer does.
func TestReplayedTimestamp(t *testing.T) {
	w := newWorld(t, 1)
	w.ahead.Store(int64(3 * day))
	stamped := w.stamp(w.issuers[0], "paper", smallPDF(1))
	pdf := w.file("paper.pdf", stamped.pdf)
	m := w.mirror()
	scan := w.scanning("home")
	w.published(3 * day)
	if _, out, code := scan("enrol", "--gateway", m.URL); code != 0 || !strings.Contains(out, `"provenTime":false`) {
		t.Fatalf("enrol: exit code %d\n%s", code, out)
	}
	replay := w.timeNote(strings.Repeat("00", 32))
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
	dev := w.stationAt("home", 0, "next")
	if f := w.verify(dev, stamped.pdf); f[0].Result.Basis != offline.DeviceClock || f[0].Result.Verdict != offline.Unverified || !f[0].Result.ClockSuspect {
		t.Errorf("after a start of the machine: %+v", f[0].Result)
	}
}

// TestClockRanAhead: one scan recorded 400 days ahead blocks the device until the
// gateway proves the time, by a refresh or by a receipt, and then never again.
func TestClockRanAhead(t *testing.T) {
	w := newWorld(t, 1)
	w.published(0)
	stamped := w.stamp(w.issuers[0], "paper", smallPDF(1))
	pdf := w.file("paper.pdf", stamped.pdf)
	m := w.mirror()
	for _, how := range []string{"trust refresh", "sync"} {
		home := strings.ReplaceAll(how, " ", "-")
		scan := w.scanning(home)
		if _, out, code := scan("enrol", "--gateway", m.URL); code != 0 {
			t.Fatalf("enrol: %s", out)
		}
		ahead := w.stationAt(home, 400*day, "an earlier start")
		w.verify(ahead, stamped.pdf)
		ahead.Close()
		if got, out, code := scan("verify", pdf); got[0].Verdict != "unverified" || !got[0].ClockSuspect || code != 1 {
			t.Errorf("%s: before: exit code %d\n%s", how, code, out)
		}
		if _, out, code := scan(append(strings.Fields(how), "--gateway", w.url())...); code != 0 {
			t.Errorf("%s: exit code %d\n%s", how, code, out)
		}
		if got, out, code := scan("verify", "--require-fresh", "--require-proven-time", pdf); got[0].Verdict != "valid" || got[0].ClockSuspect || code != 0 {
			t.Errorf("%s: after: exit code %d\n%s", how, code, out)
		}
		next := w.stationAt(home, time.Minute, "next")
		if f := w.verify(next, stamped.pdf); f[0].Result.Verdict != offline.Valid || f[0].Result.Stale || f[0].Result.ClockSuspect || f[0].Result.Basis != offline.DeviceClock {
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
	w := newWorld(t, 1)
	w.ahead.Store(int64(400 * day))
	w.published(400 * day)
	m := w.mirror()
	online, alone := w.scanning("online"), w.scanning("alone")
	if _, out, code := online("enrol", "--gateway", w.url()); code != 0 {
		t.Fatal(out)
	}
	if _, out, code := alone("enrol", "--gateway", m.URL); code != 0 {
		t.Fatal(out)
	}
	w.ahead.Store(0)
	w.published(0)
	pdf := w.file("paper.pdf", w.stamp(w.issuers[0], "paper", smallPDF(1)).pdf)
	got, out, code := online("verify", "--refresh", "--require-fresh", "--require-proven-time", pdf)
	if got[0].Verdict != "valid" || code != 0 {
		t.Errorf("by a proof: exit code %d\n%s", code, out)
	}
	file := filepath.Join(w.dir, "trust.export")
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
	w := newWorld(t, 1)
	w.published(0)
	pdf := w.file("paper.pdf", w.stamp(w.issuers[0], "paper", smallPDF(1)).pdf)
	m := w.mirror()
	m.set(nil)
	scan := w.scanning("home")
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

// stationAt opens a home with a clock that is ahead by that time, on a machine
// whose start has that name.
func (w *world) stationAt(home string, ahead time.Duration, start string) *device.Device {
	w.t.Helper()
	s, err := device.Open(w.t.Context(), device.Config{
		Home: filepath.Join(w.dir, home),
		Now:  func() time.Time { return time.Now().Add(ahead) },
		Boot: func() offline.Boot { return offline.Boot{ID: start, At: time.Second} },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { s.Close() })
	return s
}

// published waits until the newest timestamp comes from the gateway's present clock.
func (w *world) published(ahead time.Duration) {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		res, err := http.Get(w.url() + feed.Path + "timestamp")
		if err != nil {
			w.t.Fatal(err)
		}
		raw := readAll(w.t, res.Body)
		_, rest, _ := strings.Cut(raw, "\nissued ")
		issued, _, _ := strings.Cut(rest, "\n")
		at, err := time.Parse(time.RFC3339, issued)
		if d := time.Since(at.Add(-ahead)); err == nil && d.Abs() < time.Hour {
			return
		}
	}
	w.t.Fatal("nothing was published under this clock")
}

func readAll(t testing.TB, from io.ReadCloser) string {
	t.Helper()
	defer from.Close()
	raw, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// timeNote returns the gateway's answer to a nonce.
func (w *world) timeNote(nonce string) []byte {
	w.t.Helper()
	res, err := http.Get(w.url() + feed.Path + "time?nonce=" + nonce)
	if err != nil {
		w.t.Fatal(err)
	}
	return []byte(readAll(w.t, res.Body))
}
