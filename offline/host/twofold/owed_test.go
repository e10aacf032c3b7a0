package twofold_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"tcode/offline/host/journal"
	"tcode/offline/host/twofold"
)

// copyOf returns the same disks, apart from faults.
func copyOf(d *disks) *disks {
	c := &disks{noLog: d.noLog, noBase: d.noBase}
	c.log.SetFiles(d.log.Files())
	c.base.Set(d.base.Records())
	return c
}

// TestFullOpening opens copies that are not whole or not equal while neither disk has room: the pair shows the same as with room, changes
// nothing, refuses commits, and writes its findings together with the first commit that has room.
func TestFullOpening(t *testing.T) {
	away := errors.New("away")
	damageLog := func(d *disks) {
		f := d.log.Files()
		f[0][1100] ^= 1
		d.log.SetFiles(f)
	}
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, d *disks)
	}{
		{"the log is damaged and the database older", func(_ *testing.T, d *disks) {
			records := d.base.Records()
			p, _ := must(t, d)
			commit(t, p, map[string][]byte{"k1": nil, "k9": {'9'}})
			d.kill()
			damageLog(d)
			d.base.Set(records)
		}},
		{"each has its own", func(t *testing.T, d *disks) {
			d.noLog = away
			p, _ := must(t, d)
			commit(t, p, one("database", "2"))
			d.kill()
			d.noLog, d.noBase = nil, away
			p, _ = must(t, d)
			commit(t, p, map[string][]byte{"log": {'3'}, "k2": nil})
			d.kill()
			d.noBase = nil
		}},
		{"neither is whole", func(_ *testing.T, d *disks) {
			damageLog(d)
			all := d.base.Records()
			all["0"][3] ^= 1
			d.base.Set(all)
		}},
		{"a damaged log alone", func(_ *testing.T, d *disks) {
			damageLog(d)
			d.noBase = twofold.ErrNone
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := new(disks)
			p, _ := must(t, d)
			for _, key := range []string{"k1", "k2", "k3", "k4"} {
				commit(t, p, one(key, key[1:]))
			}
			d.kill()
			tt.prepare(t, d)
			roomy := copyOf(d)
			p, r := must(t, roomy)
			want := records(t, p)
			if r.Owed {
				t.Errorf("with room: %s", r)
			}
			was, files := d.base.Records(), d.log.Files()
			d.base.Fail(slices.Repeat([]journal.Fault{journal.Full}, 100)...)
			d.log.Room(1)
			p, r = must(t, d)
			if got := records(t, p); got != want || !r.Owed || r.Count() != 1 || !strings.Contains(r.String(), "no room") {
				t.Errorf("%s\nrecords %s\nwant    %s", r, got, want)
			}
			if err := p.Commit(t.Context(), one("k5", "5")); !errors.Is(err, journal.ErrFull) {
				t.Errorf("commit: %v", err)
			}
			now := d.log.Files()
			if !maps.EqualFunc(was, d.base.Records(), slices.Equal) || !slices.Equal(files[0], now[0]) || !slices.Equal(files[1], now[1]) {
				t.Error("a disk has changed")
			}
			again := copyOf(d) // a window that is killed has lost nothing
			q, _ := must(t, again)
			if got := records(t, q); got != want {
				t.Errorf("after a kill: %s, want %s", got, want)
			}
			d.base.Fail()
			d.log.Room(0)
			commit(t, p, one("k5", "5"))
			with := records(t, p)
			commit(t, p, one("k6", "6"))
			if more := records(t, p); strings.Replace(with, "k5=5", "k5=5 k6=6", 1) != more || !strings.Contains(with, "k5=5") {
				t.Errorf("with room again: %s, then %s", with, more)
			}
			more := records(t, p)
			d.kill()
			p, r = must(t, d)
			if got := records(t, p); got != more || r.Owed || r.Lost {
				t.Errorf("opened again: %s\nrecords %s\nwant    %s", r, got, more)
			}
			if strings.ReplaceAll(strings.ReplaceAll(" "+more, " k5=5", ""), " k6=6", "") != " "+want {
				t.Errorf("records %s, found %s", more, want)
			}
		})
	}
}
