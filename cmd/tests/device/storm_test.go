package device_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/world"
	"tcode/offline/host/litedb"
	"tcode/server/store"
	"tcode/sync/outbox"
)

// TestSyncInAStorm: tcode-scan records and sends concurrently, through a proxy
// that cuts, delays, repeats and forges, and both programs and the gateway are
// killed again and again. In the end each scan is at the gateway once, none is
// dead, none waits, and every verdict is one that the gateway gave.
// TCODE_STORM_SCANS=10000 is the full size.
func TestSyncInAStorm(t *testing.T) {
	const documents, times = 8, 5 // each is scanned that many times in one run
	want := world.Count(t, "TCODE_STORM_SCANS", 400)
	w := world.New(t, 1)
	w.Scanner("home").Close()
	home := filepath.Join(w.Dir, "home")
	args := []string{world.Program(t, "tcode-scan"), "--home", home, "--json", "verify"}
	for i := range documents {
		name := w.File(fmt.Sprintf("%02d.pdf", i),
			w.Stamp(w.Issuers[0], fmt.Sprint(i), world.SmallPDF(i)).PDF)
		args = append(args, slices.Repeat([]string{name}, times)...)
	}
	w.Down()
	proxy := newBadProxy(w.Addr)
	front := httptest.NewServer(proxy)
	defer front.Close()
	gateway := startProgram(w)
	defer gateway.kill()

	ctx, calm := context.WithCancel(t.Context())
	var others sync.WaitGroup
	gatewayKills, syncKills := 0, 0
	others.Go(func() { gatewayKills = gateway.killNowAndThen(ctx) })
	others.Go(func() { syncKills = syncThrough(ctx, t, home, front.URL) })
	seen, scanKills := map[string]bool{}, 0
	r := rand.New(rand.NewPCG(5, 6))
	for len(seen) < want || proxy.kinds() < len(faults) && len(seen) < 10*want {
		ids := killAfter(t, r.IntN(2*documents*times), args)
		if len(ids) < documents*times {
			scanKills++
		}
		for _, id := range ids {
			if seen[id] {
				t.Errorf("scan id %s was printed twice", id)
			}
			seen[id] = true
		}
	}
	calm()
	others.Wait()
	proxy.late.Wait()
	proxy.healed.Store(true)
	t.Logf("%d verdicts seen; killed: verify %d times, sync %d, the gateway %d; faults: %v", len(seen), scanKills, syncKills, gatewayKills, proxy.did)
	if len(proxy.did) < len(faults)*2/3 || gatewayKills == 0 || scanKills == 0 {
		t.Error("the test proves too little")
	}

	var left struct{ Waiting, Lost int }
	for try := range 5 { // a requested pause ends first
		time.Sleep(time.Duration(try) * time.Second)
		out, err := exec.Command(args[0], "--home", home, "--json", "sync", "--gateway", front.URL).CombinedOutput()
		code := world.ExitCode(t, err)
		if err := json.Unmarshal([]byte(lastLine(string(out))), &left); err == nil && code == 0 && left.Waiting == 0 {
			break
		}
		if try == 4 {
			t.Errorf("the last sync: exit code %d\n%s", code, out)
		}
	}
	if left.Lost > 0 {
		t.Errorf("%d scans are lost", left.Lost)
	}
	checkOnce(w, home, seen)
	checkWords(w, home)
}

// checkWords: the device's copy of the gateway's answers is correct, and the
// gateway saw no two scans under one id.
func checkWords(w *world.World, home string) {
	t := w.T
	t.Helper()
	dev, err := device.Open(t.Context(), device.Config{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	rows, err := dev.Outbox.History(t.Context(), outbox.Filter{Limit: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.State != outbox.Done || row.Result.Verdict != "valid" || row.ReceiptID == 0 {
			t.Errorf("scan %d is %s, and of the gateway's verdict the device says %q", row.Scan.Seq, row.State, row.Result.Verdict)
		}
	}
	db, err := litedb.Open(t.Context(), filepath.Join(w.Data, store.FileName), litedb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var conflicts int
	if err := db.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM scan_conflicts`).Scan(&conflicts); err != nil || conflicts > 0 {
		t.Errorf("%d conflicts at the gateway (%v), want none", conflicts, err)
	}
}

// syncThrough runs tcode-scan sync again and again until ctx ends, and kills one
// run in three.
func syncThrough(ctx context.Context, t *testing.T, home, gateway string) (kills int) {
	r := rand.New(rand.NewPCG(7, 8))
	for ctx.Err() == nil {
		cmd := exec.Command(world.Program(t, "tcode-scan"), "--home", home, "--json", "sync",
			"--gateway", gateway)
		if err := cmd.Start(); err != nil {
			t.Errorf("sync: %v", err)
			return kills
		}
		if r.IntN(3) == 0 {
			time.Sleep(time.Duration(10+r.IntN(200)) * time.Millisecond)
			if cmd.Process.Kill() == nil {
				kills++
			}
		}
		_ = cmd.Wait()
	}
	return kills
}

// A gatewayProgram is the program tcode-gateway on a world's data and address.
type gatewayProgram struct {
	w     *world.World
	under []string // a program that runs it, with arguments
	cmd   *exec.Cmd
}

// startProgram starts tcode-gateway, under another program if one is given; the world's own
// gateway must be down.
func startProgram(w *world.World, under ...string) *gatewayProgram {
	w.T.Helper()
	s := &gatewayProgram{w: w, under: under}
	if err := s.start(); err != nil {
		w.T.Fatal(err)
	}
	return s
}

func (s *gatewayProgram) start() error {
	args := append(slices.Clone(s.under), world.Program(s.w.T, "tcode-gateway"), "--data", s.w.Data,
		"serve",
		"--addr", s.w.Addr, "--lookups-per-minute", "0", "--scans-per-minute", "0")
	s.cmd = exec.Command(args[0], args[1:]...)
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return fmt.Errorf("the gateway says %q: %w", line, err)
	}
	return nil
}

func (s *gatewayProgram) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// killNowAndThen kills the gateway and starts it again until ctx ends. At the
// end the gateway runs.
func (s *gatewayProgram) killNowAndThen(ctx context.Context) (kills int) {
	r := rand.New(rand.NewPCG(9, 10))
	for {
		select {
		case <-ctx.Done():
			return kills
		case <-time.After(time.Duration(200+r.IntN(800)) * time.Millisecond):
		}
		s.kill()
		kills++
		if err := s.start(); err != nil {
			s.w.T.Errorf("after kill %d: %v", kills, err)
			return kills
		}
	}
}
