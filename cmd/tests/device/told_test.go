package device_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/world"
)

// toldEvent is a clock event as both programs print it.
type toldEvent struct {
	Event, EventID string
	Told           bool
	Scans          int
	AfterSeq       uint64
	Was            time.Time
}

// clockEventsOf returns the clock events in a list of JSON objects, oldest first.
func clockEventsOf(t *testing.T, out string) (all []toldEvent) {
	t.Helper()
	for line := range strings.Lines(out) {
		var e toldEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if e.EventID != "" {
			all = append([]toldEvent{e}, all...)
		}
	}
	return all
}

// TestClockEventsTold: a device reports corrections of its clock to the gateway
// with the next sync, also without scans, once, and copies of its home do too.
func TestClockEventsTold(t *testing.T) {
	c := newCloned(t)
	scanner := c.scannerOf("home")
	ahead := c.DeviceAt("home", 400*world.Day, "an earlier start")
	found := c.World.Verify(ahead, world.ReadFile(t, c.pdf))
	c.want[found[0].ScanID] = 1
	ahead.Close()
	copyHome(c.World, "copy")
	if out, code := c.Scan("home")("trust", "refresh"); code != 0 { // a proof of time
		t.Fatal(out)
	}
	out, _ := c.Scan("home")("history")
	if got := clockEventsOf(t, out); len(got) != 1 || got[0].Told || got[0].Event != "clock_was_ahead" || got[0].Scans != 1 {
		t.Fatalf("before the sync:\n%s", out)
	}
	if out := c.gateway("device", "clock", scanner); len(clockEventsOf(t, out)) != 0 {
		t.Errorf("known before it was told:\n%s", out)
	}
	copyHome(c.World, "restored")
	for _, home := range []string{"home", "home", "restored"} {
		if out, code := c.Scan(home)("sync"); code != 0 {
			t.Fatalf("sync of %s: %s", home, out)
		}
		out, _ := c.Scan(home)("history")
		if got := clockEventsOf(t, out); len(got) != 1 || !got[0].Told {
			t.Errorf("%s after the sync:\n%s", home, out)
		}
	}
	heard := clockEventsOf(t, c.gateway("device", "clock", scanner))
	if len(heard) != 1 || heard[0].Event != "clock_was_ahead" || heard[0].Scans != 1 ||
		heard[0].AfterSeq != 1 || time.Until(heard[0].Was) < 399*world.Day {
		t.Errorf("at the gateway: %+v", heard)
	}
	// The copy finds out by its own receipt, which is a proof, and reports in
	// the same run.
	if out, code := c.Scan("copy")("sync"); code != 0 ||
		!strings.Contains(out, `"clockEventsTold":1`) {
		t.Errorf("sync of the copy: exit code %d\n%s", code, out)
	}
	// An operator confirms the clock, without a network and without a scan.
	away := c.DeviceAt("home", time.Minute, "a later start")
	if err := away.Confirm(t.Context(), away.Now(), false); err != nil {
		t.Fatal(err)
	}
	away.Close()
	if out, code := c.Scan("home")("sync"); code != 0 || !strings.Contains(out, `"sent":0,`) ||
		!strings.Contains(out, `"clockEventsTold":1`) {
		t.Errorf("sync of an operator's word: exit code %d\n%s", code, out)
	}
	heard = clockEventsOf(t, c.gateway("device", "clock", scanner))
	if len(heard) != 3 || heard[2].Event != "clock_confirmed" {
		t.Errorf("at the gateway: %+v", heard)
	}
	if out := c.gateway("device", "list"); !strings.Contains(out, `"clockEvents":3`) {
		t.Errorf("device list:\n%s", out)
	}
	c.check("")
	if s := auditOf(t, c.Scan("home")); s.Problems != 0 || s.Scans["held"] != 1 {
		t.Errorf("audit: %s", s.out)
	}
}
