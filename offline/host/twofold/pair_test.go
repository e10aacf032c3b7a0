package twofold_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tcode/offline/host/journal"
	"tcode/offline/host/journal/journaltest"
	"tcode/offline/host/logjournal/logtest"
	"tcode/offline/host/twofold"
)

// disks are a log and another journal.
type disks struct {
	log  logtest.Disk
	base journal.Disk
	// reasons why a copy cannot be opened
	noLog, noBase error
}

func (d *disks) open(ctx context.Context) (*twofold.Pair, twofold.Report, error) {
	a, b := twofold.Copy{Name: "log", Missing: d.noLog}, twofold.Copy{Name: "database", Missing: d.noBase}
	if d.noBase == nil {
		j, err := d.base.Open()
		if err != nil {
			return nil, twofold.Report{}, err
		}
		b.Journal = j
	}
	if d.noLog == nil {
		l, err := d.log.Open()
		if err != nil {
			return nil, twofold.Report{}, errors.Join(err, closed(b.Journal))
		}
		a.Journal = l
	}
	return twofold.Open(ctx, a, b)
}

func closed(j journal.Journal) error {
	if j == nil {
		return nil
	}
	return j.Close()
}

func (d *disks) Open(ctx context.Context) (journal.Journal, error) {
	p, _, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// kill ends the process that has the pair open.
func (d *disks) kill() {
	d.log.Kill()
	d.base.Crash()
}

func TestJournal(t *testing.T) {
	journaltest.Run(t, func(*testing.T) journaltest.Place { return new(disks) })
}

// TestOne holds the pair with one copy to the rules of journals.
func TestOne(t *testing.T) {
	journaltest.Run(t, func(*testing.T) journaltest.Place { return &disks{noLog: twofold.ErrNone} })
	journaltest.Run(t, func(*testing.T) journaltest.Place { return &disks{noBase: twofold.ErrNone} })
}

func must(t *testing.T, d *disks) (*twofold.Pair, twofold.Report) {
	t.Helper()
	p, r, err := d.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

func commit(t *testing.T, j journal.Journal, changes map[string][]byte) {
	t.Helper()
	if err := j.Commit(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
}

func records(t *testing.T, j journal.Journal) string {
	t.Helper()
	var all []string
	if err := j.Load(t.Context(), func(key string, value []byte) error {
		all = append(all, key+"="+string(value))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func one(key, value string) map[string][]byte { return map[string][]byte{key: []byte(value)} }

// TestLoss makes each fault in one copy after five commits: all records are there, and the report names copy and reason.
func TestLoss(t *testing.T) {
	tests := []struct {
		name string
		lose func(d *disks, was *disks)
		want string // part of the report
	}{
		{"nothing", func(*disks, *disks) {}, "two copies"},
		{"log missing", func(d, _ *disks) { d.log.SetFiles([2][]byte{}) }, "log was rebuilt (it was empty)"},
		{"database missing", func(d, _ *disks) { d.base.Set(nil) }, "database was rebuilt (it was empty)"},
		{"log older", func(d, was *disks) { d.log.SetFiles(was.log.Files()) }, "log was rebuilt (it was older)"},
		{"database older", func(d, was *disks) { d.base.Set(was.base.Records()) }, "database was rebuilt (it was older)"},
		{"log damaged", func(d, _ *disks) {
			f := d.log.Files()
			f[0][1100] ^= 1
			d.log.SetFiles(f)
		}, "log was rebuilt (the log is damaged"},
		{"last commit damaged", func(d, _ *disks) {
			f := d.log.Files()
			f[0][len(f[0])-1] ^= 1
			d.log.SetFiles(f)
		}, "log was rebuilt (it was older)"},
		{"headers damaged", func(d, _ *disks) {
			f := d.log.Files()
			clear(f[0][:1024])
			d.log.SetFiles(f)
		}, "log was rebuilt (the log is damaged"},
		{"mark of the database", func(d, _ *disks) {
			all := d.base.Records()
			all["0"][3] ^= 1
			d.base.Set(all)
		}, "database was rebuilt (it had no mark)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d, was disks
			p, _ := must(t, &d)
			for i := range 5 {
				if i == 2 {
					was.log.SetFiles(d.log.Files())
					was.base.Set(d.base.Records())
				}
				commit(t, p, map[string][]byte{fmt.Sprint("k", i): {'0' + byte(i)}, "same": {'0' + byte(i)}, fmt.Sprint("k", i-2): nil})
			}
			want := records(t, p)
			d.kill()
			tt.lose(&d, &was)
			p, r := must(t, &d)
			if got := records(t, p); got != want || !strings.Contains(r.String(), tt.want) {
				t.Errorf("%s\nrecords %s\nwant    %s", r, got, want)
			}
			commit(t, p, one("after", "x"))
			d.kill()
			if _, r = must(t, &d); r.String() != "two copies" {
				t.Errorf("opened again: %s", r)
			}
		})
	}
}

// TestBehind: the log has a damaged place, and the database lacks the last commit because the process ended between the copies. The
// commit is there as a whole, and so is everything before.
func TestBehind(t *testing.T) {
	var d disks
	p, _ := must(t, &d)
	for i := range 5 {
		commit(t, p, map[string][]byte{fmt.Sprint("k", i): {'0' + byte(i)}, "same": {'0' + byte(i)}})
	}
	d.base.Fail(journal.FailBefore)
	if err := p.Commit(t.Context(), map[string][]byte{"k5": []byte("5"), "k2": nil}); err == nil {
		t.Fatal("committed")
	}
	d.kill()
	f := d.log.Files()
	f[0][1024+150] ^= 1 // in one of the first commits
	d.log.SetFiles(f)
	p, r := must(t, &d)
	if got := records(t, p); got != "k0=0 k1=1 k3=3 k4=4 k5=5 same=4" || !r.Lost {
		t.Errorf("%s: %s", r, got)
	}
	d.kill()
	if _, r = must(t, &d); r.String() != "two copies" {
		t.Errorf("opened again: %s", r)
	}
}

// TestFull: whichever copy has no room, the commit is not kept, and the pair stays usable.
func TestFull(t *testing.T) {
	var d disks
	p, _ := must(t, &d)
	commit(t, p, one("a", "1"))
	f := d.log.Files()
	d.log.Room(int64(len(f[0]) + 10))
	if err := p.Commit(t.Context(), one("a", "2")); !errors.Is(err, journal.ErrFull) {
		t.Errorf("no room in the log: %v", err)
	}
	d.log.Room(0)
	d.base.Fail(journal.Full)
	if err := p.Commit(t.Context(), one("a", "3")); !errors.Is(err, journal.ErrFull) {
		t.Errorf("no room in the database: %v", err)
	}
	if got := records(t, p); got != "a=1" {
		t.Errorf("records %s", got)
	}
	commit(t, p, one("b", "4"))
	d.kill()
	p, r := must(t, &d)
	if got := records(t, p); got != "a=1 b=4" || r.String() != "two copies" {
		t.Errorf("%s: %s", r, got)
	}
}

// TestAlone: commits to either copy alone are all there when both can be opened.
func TestAlone(t *testing.T) {
	away := errors.New("away")
	var d disks
	p, _ := must(t, &d)
	commit(t, p, one("both", "1"))
	d.kill()
	d.noLog = away
	p, r := must(t, &d)
	commit(t, p, one("database", "2"))
	if r.Count() != 1 || !strings.Contains(r.String(), "one copy; no log (away)") {
		t.Error(r)
	}
	d.kill()
	d.noLog, d.noBase = nil, away
	p, _ = must(t, &d)
	commit(t, p, one("log", "3"))
	d.kill()
	d.noBase = nil
	p, r = must(t, &d)
	if got := records(t, p); got != "both=1 database=2 log=3" || r.Lost {
		t.Errorf("%s: %s", r, got)
	}
	d.kill()
	if _, r = must(t, &d); r.String() != "two copies" {
		t.Errorf("opened again: %s", r)
	}
}

// TestUncertain: with one copy away and the other lost, nothing new begins.
func TestUncertain(t *testing.T) {
	var d disks
	p, _ := must(t, &d)
	commit(t, p, one("a", "1"))
	d.kill()
	d.base.Set(nil)
	d.noLog = errors.New("away")
	if _, _, err := d.open(t.Context()); !errors.Is(err, twofold.ErrUncertain) {
		t.Errorf("open: %v", err)
	}
	d.noLog = nil
	p, _ = must(t, &d)
	if got := records(t, p); got != "a=1" {
		t.Errorf("records %s", got)
	}
}

// TestStores: records of two stores under the same keys are all kept.
func TestStores(t *testing.T) {
	var d, other disks
	p, _ := must(t, &d)
	commit(t, p, one("a", "1"))
	commit(t, p, one("b", "1"))
	p, _ = must(t, &other)
	commit(t, p, map[string][]byte{"a": []byte("2"), "c": []byte("2")})
	d.kill()
	d.base.Set(other.base.Records())
	p, r := must(t, &d)
	if got := records(t, p); got != "a=1 b=1 c=2" || r.Aside != 1 {
		t.Errorf("%s: %s", r, got)
	}
	found := false
	for key, value := range d.base.Records() {
		found = found || key[0] == 'x' && strings.HasSuffix(key, "a") && strings.HasSuffix(string(value), "2")
	}
	if !found {
		t.Error("the record that was set aside is gone")
	}
	d.kill()
	if _, r = must(t, &d); r.String() != "two copies" {
		t.Errorf("opened again: %s", r)
	}
}

// TestInterrupted ends the process at each commit of a long rebuilding, of either copy.
func TestInterrupted(t *testing.T) {
	for _, lost := range []string{"log", "database"} {
		for stop := range 6 {
			var d disks
			p, _ := must(t, &d)
			want := map[string][]byte{}
			for i := range 5 {
				want[fmt.Sprint(i)] = make([]byte, 700_000)
				commit(t, p, map[string][]byte{fmt.Sprint(i): want[fmt.Sprint(i)]})
			}
			d.kill()
			if lost == "log" {
				d.log.SetFiles([2][]byte{})
				d.log.Fail(3 + 2*stop)
			} else {
				d.base.Set(nil)
				d.base.Fail(append(make([]journal.Fault, stop), journal.FailAfter)...)
			}
			p, r, err := d.open(t.Context())
			if d.base.Fail(); err == nil && lost == "database" {
				commit(t, p, map[string][]byte{"more": {1}})
				want["more"] = []byte{1}
			}
			d.kill()
			p, again := must(t, &d)
			if all, err := journaltest.Records(t.Context(), p); err != nil || len(all) != len(want) || again.Count() != 2 || again.Lost {
				t.Errorf("%s, %d: %v, %d records of %d; first %s, then %s", lost, stop, err, len(all), len(want), r, again)
			}
		}
	}
}
