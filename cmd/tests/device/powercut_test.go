package device_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"tcode/cmd/internal/powercut"
	"tcode/cmd/internal/world"
	"tcode/server/store"
	"tcode/sync/outbox"
)

// TestPowerCuts traces the file operations of tcode-scan while it enrols, verifies
// and syncs, and cuts the power: data that no fsync had made safe is present in
// part, in any order, torn or not at all. Each scan whose verdict was shown is in
// the outbox, which is not damaged, and a sync sends it to the gateway.
// TCODE_POWER_CUTS=300 is the full number, for each of this test and the gateway's.
func TestPowerCuts(t *testing.T) {
	strace := world.Need(t, "strace")
	w := world.New(t, 1)
	var files []string
	for i := range 4 {
		files = append(files, w.File(fmt.Sprintf("%d.pdf", i),
			w.Stamp(w.Issuers[0], fmt.Sprint(i), world.SmallPDF(i)).PDF))
	}
	home, trace := filepath.Join(w.Dir, "home"), filepath.Join(w.Dir, "trace")
	cut := filepath.Join(w.Dir, "cut")
	log, err := powercut.Before(home, "")
	if err != nil {
		t.Fatal(err)
	}
	scan := []string{world.Program(t, "tcode-scan"), "--home", home, "--json"}
	for _, args := range [][]string{
		{"enrol", "--gateway", w.URL()},
		append([]string{"verify", "--jobs", "1"}, append(files, files...)...),
		{"sync"},
		append([]string{"verify"}, append(files, files...)...),
		{"sync"},
		append([]string{"verify"}, files...),
	} {
		cmd := append(append(powercut.Strace(trace), scan...), args...)
		if out, err := exec.Command(strace, cmd...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	read(t, log, trace)
	key := world.ReadFile(t, filepath.Join(home, "device.key"))
	cuts, acknowledged := world.Count(t, "TCODE_POWER_CUTS", 12), 0
	for i := range cuts {
		files, said := log.Cut(point(log, i, cuts))
		shown := ids(said)
		acknowledged += len(shown)
		if err := powercut.Write(cut, files); err != nil {
			t.Fatal(err)
		}
		if len(shown) > 0 && string(files["device.key"]) != string(key) {
			t.Errorf("cut %d: the device key is lost", i)
		}
		for _, msg := range lostFromOutbox(t, filepath.Join(cut, "outbox.db"), shown) {
			t.Errorf("cut %d: %s", i, msg)
		}
		if i%20 == 0 && len(shown) > 0 {
			out, err := exec.Command(scan[0], "--home", cut, "--json", "sync").CombinedOutput()
			if err != nil {
				t.Errorf("cut %d: sync: %v\n%s", i, err, out)
			}
		}
	}
	at := w.ScansAtGateway()
	for id, n := range at {
		if n != 1 {
			t.Errorf("scan %s is %d times at the gateway", id, n)
		}
	}
	t.Logf("%d events, %d cuts, %d scans were shown before them; %d scans at the gateway", log.Len(), cuts, acknowledged, len(at))
	if acknowledged < 3*cuts {
		t.Error("few scans were shown before the cuts: the test proves too little")
	}
	t.Run("control", func(t *testing.T) {
		// The test must fail on a disk that makes nothing safe.
		lost := 0
		for i := range 10 {
			at, r, _ := point(log, i+10, 20)
			files, said := log.Cut(at, r, true)
			if err := powercut.Write(cut, files); err != nil {
				t.Fatal(err)
			}
			lost += len(lostFromOutbox(t, filepath.Join(cut, "outbox.db"), ids(said)))
		}
		if lost == 0 {
			t.Error("nothing is lost where no fsync does anything: the test proves nothing")
		}
	})
}

var scanID = regexp.MustCompile(`"scanId":"([0-9a-f-]{36})"`)

// ids returns the scan ids in the output.
func ids(said [][]byte) map[string]bool {
	out := map[string]bool{}
	for _, s := range said {
		for _, m := range scanID.FindAllSubmatch(s, -1) {
			out[string(m[1])] = true
		}
	}
	return out
}

func read(t *testing.T, log *powercut.Log, trace string) {
	t.Helper()
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := log.Read(f); err != nil {
		t.Fatal(err)
	}
}

// point returns the place of the i-th of n cuts, spread over the log.
func point(log *powercut.Log, i, n int) (events int, r *rand.Rand, lost bool) {
	r = rand.New(rand.NewPCG(uint64(i), 11))
	part := log.Len()/n + 1
	return min(log.Len(), i*log.Len()/n+r.IntN(part)), r, false
}

// lostFromOutbox describes the shown scans that are missing in an outbox.
func lostFromOutbox(t *testing.T, path string, shown map[string]bool) (out []string) {
	t.Helper()
	shown = maps.Clone(shown)
	o, err := outbox.Open(t.Context(), path)
	if err != nil {
		return []string{err.Error()}
	}
	defer o.Close()
	if err := o.Check(t.Context()); err != nil {
		out = append(out, err.Error())
	}
	repairs, err := o.Repairs(t.Context())
	if err != nil || len(repairs) > 0 {
		out = append(out, fmt.Sprintf("repaired: %v %v", repairs, err))
	}
	rows, err := o.History(t.Context(), outbox.Filter{Limit: 1_000_000})
	if err != nil {
		out = append(out, err.Error())
	}
	for _, row := range rows {
		delete(shown, row.Scan.ScanID)
	}
	if len(shown) > 0 {
		out = append(out, fmt.Sprintf("%d scans are lost: %v", len(shown), shown))
	}
	return out
}

// TestGatewayPowerCuts does the same to tcode-gateway on SQLite: each scan of
// an answered batch is in its database.
func TestGatewayPowerCuts(t *testing.T) {
	strace := world.Need(t, "strace")
	w := world.New(t, 1)
	w.Scanner("home").Close()
	home, trace := filepath.Join(w.Dir, "home"), filepath.Join(w.Dir, "trace")
	var files []string
	for i := range 4 {
		files = append(files, w.File(fmt.Sprintf("%d.pdf", i),
			w.Stamp(w.Issuers[0], fmt.Sprint(i), world.SmallPDF(i)).PDF))
	}
	w.Down()
	log, err := powercut.Before(w.Data, store.FileName)
	if err != nil {
		t.Fatal(err)
	}
	gateway := startProgram(w, append([]string{strace, "-D"}, powercut.Strace(trace)...)...)
	defer gateway.kill()
	for range 4 {
		for _, args := range [][]string{append([]string{"verify"}, append(files, files...)...), {"sync"}} {
			cmd := exec.Command(world.Program(t, "tcode-scan"),
				append([]string{"--home", home, "--json"}, args...)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
		}
	}
	if err := gateway.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := gateway.cmd.Wait(); err != nil {
		t.Error(err)
	}
	ended(t, trace, gateway.cmd.Process.Pid)
	read(t, log, trace)
	cut, acknowledged := filepath.Join(w.Dir, "cut"), 0
	cuts := world.Count(t, "TCODE_POWER_CUTS", 12)
	for i := range cuts {
		files, said := log.Cut(point(log, i, cuts))
		answered := ids(said)
		acknowledged += len(answered)
		if err := powercut.Write(cut, files); err != nil {
			t.Fatal(err)
		}
		at := world.ScansIn(t, cut)
		for id := range answered {
			if n := at[id]; n != 1 {
				t.Fatalf("cut %d: scan %s was answered and is %d times in the database", i, id, n)
			}
		}
	}
	t.Logf("%d events, %d cuts, %d scans were answered before them", log.Len(), cuts, acknowledged)
	if acknowledged < 3*cuts {
		t.Error("few scans were answered before the cuts: the test proves too little")
	}
}

// ended waits until strace, which outlives the program, has written the trace.
func ended(t *testing.T, trace string, pid int) {
	t.Helper()
	end := regexp.MustCompile(fmt.Sprintf(`(?m)^%d +\+\+\+ exited`, pid))
	for range 100 {
		if raw := world.ReadFile(t, trace); end.Match(raw[max(0, len(raw)-1<<16):]) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	raw := world.ReadFile(t, trace)
	t.Fatalf("the trace of process %d, %d bytes, has no end: %.300q", pid, len(raw), raw[max(0, len(raw)-300):])
}
