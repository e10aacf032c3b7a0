package outbox_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"tcode/sync/outbox"
)

// damagesEnv names the variable with the number of random damages.
const damagesEnv = "TCODE_DAMAGES"

// TestRandomDamage damages an outbox and its log at random: flipped bits, cuts,
// zeroed and swapped pages. It opens every time; each scan is then sent under
// its old id or listed as lost, and sending ends.
func TestRandomDamage(t *testing.T) {
	n := damages(t, 40)
	const scans = 90
	file, log := damageable(t, scans)
	repaired, lost := 0, 0
	// The integrity check does not detect damage 509: an index has the entries
	// of another one.
	for _, seed := range append(seeds(n), 509) {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		dir := modelFolder(t)
		path := filepath.Join(dir, "outbox.db")
		f, l := append([]byte(nil), file...), append([]byte(nil), log...)
		var what string
		if r.IntN(3) == 0 {
			l, what = damage(r, l)
			what += " of the log"
		} else {
			f, what = damage(r, f)
		}
		for name, raw := range map[string][]byte{"": f, "-wal": l, ".last": []byte(strconv.Itoa(scans) + "\n")} {
			if err := os.WriteFile(path+name, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		re, lo := drain(t, path, scans, fmt.Sprintf("damage %d, %s", seed, what))
		repaired, lost = repaired+re, lost+lo
		os.RemoveAll(dir)
	}
	t.Logf("%d damages, %d repaired, %d scans listed as lost, 0 in silence", n, repaired, lost)
	if repaired < n/4 {
		t.Errorf("only %d of %d damages were noticed: the test proves too little", repaired, n)
	}
}

// damages returns the number of damages: usual, or the one in the environment.
func damages(t *testing.T, usual int) int {
	t.Helper()
	s := os.Getenv(damagesEnv)
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func modelFolder(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "tcode-damage-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// damageable returns an outbox's file and a log that is not yet in it.
func damageable(t *testing.T, scans int) (file, log []byte) {
	path := filepath.Join(modelFolder(t), "outbox.db")
	o := open(t, path)
	record(t, o, scans/2)
	settle(t, o, lease(t, o, "b1", noon, outbox.Limits{Items: 10}), outbox.Accepted, noon)
	if err := o.Close(); err != nil { // moves the log into the file
		t.Fatal(err)
	}
	o = open(t, path)
	for range scans - scans/2 {
		record(t, o, 1)
	}
	for name, to := range map[string]*[]byte{"": &file, "-wal": &log} {
		raw, err := os.ReadFile(path + name)
		if err != nil || len(raw) == 0 {
			t.Fatalf("%s: %d bytes, %v", name, len(raw), err)
		}
		*to = raw
	}
	return file, log
}

const pageSize = 4096

func damage(r *rand.Rand, raw []byte) ([]byte, string) {
	page := func() int { return r.IntN(max(1, len(raw)/pageSize)) * pageSize }
	switch r.IntN(4) {
	case 0:
		bits := 1 + r.IntN(8)
		for range bits {
			raw[r.IntN(len(raw))] ^= 1 << r.IntN(8)
		}
		return raw, fmt.Sprintf("%d bits flipped", bits)
	case 1:
		cut := r.IntN(len(raw))
		return raw[:cut], fmt.Sprintf("cut at %d", cut)
	case 2:
		at := page()
		clear(raw[at:min(len(raw), at+pageSize)])
		return raw, fmt.Sprintf("page at %d zeroed", at)
	}
	a, b := page(), page()
	x, y := raw[a:min(len(raw), a+pageSize)], raw[b:min(len(raw), b+pageSize)]
	for i := range min(len(x), len(y)) {
		x[i], y[i] = y[i], x[i]
	}
	return raw, fmt.Sprintf("pages at %d and %d swapped", a, b)
}

// drain sends everything in the outbox and accounts for every number.
func drain(t *testing.T, path string, scans int, what string) (repairs, lost int) {
	t.Helper()
	o, err := outbox.Open(t.Context(), path)
	if err != nil {
		t.Fatalf("%s: Open = %v", what, err)
	}
	defer func() { o.Close() }()
	if err := o.Record(t.Context(), scan(1)); err != nil {
		if o = again(t, o, path, what, err); o.Record(t.Context(), scan(1)) != nil {
			t.Fatalf("%s: a scan after it: %v", what, err)
		}
	}
	if err := o.Check(t.Context()); err != nil {
		o = again(t, o, path, what, err)
	}
	sent := map[uint64]bool{}
	for batch := 0; ; batch++ {
		if batch > 60+scans/4 {
			t.Fatalf("%s: the same scans are sent forever", what)
		}
		now := noon.AddDate(1, 0, 0)
		b, err := o.Lease(t.Context(), fmt.Sprint("x", batch), now, outbox.Limits{Items: 8})
		if err != nil {
			o = again(t, o, path, what, err)
			continue
		}
		if len(b.Batch.Items) == 0 {
			break
		}
		s := outbox.Settlement{BatchID: b.Batch.ID, At: now, ReceivedAt: now, Receipt: receipt(b.Batch)}
		for _, it := range b.Batch.Items {
			sent[it.Seq] = true
			s.Answers = append(s.Answers, outbox.Answer{ScanID: it.ScanID, Event: outbox.Duplicate})
		}
		if err := o.Settle(t.Context(), s); err != nil {
			o = again(t, o, path, what, err)
		}
	}
	all, err := o.History(t.Context(), outbox.Filter{Limit: 1000})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	known := map[uint64]bool{}
	for _, e := range all {
		if e.State != outbox.Done || e.Damaged {
			t.Errorf("%s: scan %d is %s, damaged %v", what, e.Scan.Seq, e.State, e.Damaged)
		}
		known[e.Scan.Seq] = true
	}
	losses, err := o.Losses(t.Context(), 1000)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for _, l := range losses {
		known[l.Seq] = true
	}
	for seq := uint64(1); seq <= uint64(scans)+1; seq++ {
		if !known[seq] {
			t.Errorf("%s: scan %d is lost in silence", what, seq)
		}
	}
	rs, err := o.Repairs(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return min(1, len(rs)), len(losses)
}

// again opens a damaged outbox again, which repairs it.
func again(t *testing.T, o *outbox.Outbox, path, what string, err error) *outbox.Outbox {
	t.Helper()
	if !outbox.IsDamaged(err) {
		t.Fatalf("%s: %v", what, err)
	}
	if err := errors.Join(o.Close()); err != nil {
		t.Fatal(err)
	}
	o, err = outbox.Open(t.Context(), path)
	if err != nil {
		t.Fatalf("%s: Open = %v", what, err)
	}
	return o
}

// seeds returns 0 to n-1.
func seeds(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
