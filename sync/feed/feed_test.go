//go:build !js

package feed_test

//race:off SQLite is Go here: the detector would watch its memory

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
	"tcode/sync/feed"
)

func TestEnrol(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"", "/", "/v1", "/v1/"} {
		a := trusttest.New(t, "a")
		a.Rotate("")
		s := serve(t, a)
		d := newDevice(t, s.url+suffix)
		rep, err := d.Enrol(t.Context(), nil)
		if err != nil {
			t.Fatalf("%q: Enrol = %v", suffix, err)
		}
		if rep.Fingerprint != a.Fingerprint || rep.Timestamp.Version != 10 || len(rep.Changes.Shards) != 1 {
			t.Errorf("%q: report %+v", suffix, rep)
		}
		if st := d.state(t); st.Root.Version != 2 || !st.Complete() {
			t.Errorf("%q: root %d, complete %v", suffix, st.Root.Version, st.Complete())
		}
		if e, err := d.book.Enrolment(t.Context()); err != nil || e.Gateway != s.url {
			t.Errorf("%q: Enrolment = %+v, %v", suffix, e, err)
		}
	}
}

func TestEnrolByFingerprint(t *testing.T) {
	t.Parallel()
	a, b := trusttest.New(t, "a"), trusttest.New(t, "b")
	s := serve(t, b)
	d := newDevice(t, s.url)
	if _, err := d.Enrol(t.Context(), &a.Fingerprint); !errors.Is(err, trust.ErrFingerprint) {
		t.Errorf("Enrol = %v, want ErrFingerprint", err)
	}
	if d.state(t) != nil {
		t.Error("pinned a root of the wrong fingerprint")
	}
	d = enrolled(t, s)
	s.Authority = a
	if _, err := d.Enrol(t.Context(), nil); !errors.Is(err, trustbook.ErrOtherRoot) {
		t.Errorf("Enrol again = %v, want ErrOtherRoot", err)
	}
}

func TestRefreshFetchesOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) { fetchesOnlyWhatChanged(t, newDevice) })
	t.Run("journal", func(t *testing.T) { fetchesOnlyWhatChanged(t, onJournal) })
}

func fetchesOnlyWhatChanged(t *testing.T, open func(*testing.T, string) device) {
	a := trusttest.New(t, "a")
	a.Shards[1] = &statuslist.Shard{}
	a.Shards[1].Set(9, statuslist.Suspended)
	s := serve(t, a)
	d := enrol(t, s, open(t, s.url))
	rep, err := d.Refresh(t.Context())
	if err != nil || rep.Changes.Any() || rep.Timestamp.Version != 10 {
		t.Errorf("Refresh of the same = %+v, %v", rep, err)
	}
	if got := strings.Join(s.asked, " "); got != "root/2 timestamp" {
		t.Errorf("asked for %s", got)
	}
	s.asked = nil
	a.Shards[0].Set(7, statuslist.Revoked)
	s.publish(11, 1)
	if rep, err = d.Refresh(t.Context()); err != nil || len(rep.Changes.Shards) != 1 || rep.Requests != 6 {
		t.Errorf("Refresh = %+v, %v; want one shard, 6 requests", rep, err)
	}
	snapshot, err := d.book.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for number, want := range map[uint16]statuslist.Value{0: statuslist.Revoked, 1: statuslist.Suspended} {
		shard, err := snapshot.Shard(number)
		if err != nil || shard == nil || shard.Get([]uint16{7, 9}[number]) != want {
			t.Errorf("shard %d is wrong (%v)", number, err)
		}
	}
	if at, err := d.book.LastAttempt(t.Context()); err != nil || at.Error != "" || at.Refreshed.IsZero() {
		t.Errorf("LastAttempt = %+v, %v", at, err)
	}
}

// Survivor lists are fetched only when a key is compromised; a missing one does
// not affect the rest and comes with the next refresh.
func TestRefreshSurvivors(t *testing.T) {
	t.Parallel()
	s := serve(t, trusttest.New(t, "a"))
	d := enrolled(t, s)
	s.List = statuslist.NewSurvivors([]statuslist.Mark{{4}})
	hash := s.List.Hash().String()
	s.publish(11, 1)
	list := s.objects[hash]
	delete(s.objects, hash)
	_, err := d.Refresh(t.Context())
	if status, ok := errors.AsType[*feed.StatusError](err); !ok || status.Status != http.StatusNotFound {
		t.Errorf("Refresh without the list = %v", err)
	}
	if got := d.state(t).Timestamp.Version; got != 11 {
		t.Errorf("version %d is held, want 11", got)
	}
	s.objects[hash] = list
	rep, err := d.Refresh(t.Context())
	if err != nil || rep.Survivors != 1 {
		t.Errorf("Refresh = %+v, %v", rep, err)
	}
	snapshot, err := d.book.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := snapshot.Survivors(hash); !ok || !got.Contains(statuslist.Mark{4}) {
		t.Errorf("Survivors = %v, %v", got, ok)
	}
}

// After any refusal the old state and the reason remain.
func TestRefreshRefuses(t *testing.T) {
	t.Parallel()
	other := trusttest.New(t, "b")
	write := func(data []byte) func(http.ResponseWriter) { return func(w http.ResponseWriter) { w.Write(data) } }
	for _, tt := range []struct {
		name   string
		object func(s *server) (name string, answer func(http.ResponseWriter))
		want   error
	}{
		{"portal", func(*server) (string, func(http.ResponseWriter)) {
			return "timestamp", write([]byte("<html>sign in</html>"))
		}, trust.ErrTypeLine},
		{"older timestamp", func(s *server) (string, func(http.ResponseWriter)) {
			return "timestamp", write(s.Authority.Set(9, -1).Timestamp)
		}, trust.ErrRollback},
		{"another authority", func(*server) (string, func(http.ResponseWriter)) {
			return "timestamp", write(other.Set(12, 2).Timestamp)
		}, trust.ErrForeignRoot},
		{"another bundle", func(s *server) (string, func(http.ResponseWriter)) {
			return trust.RefTo(0, s.set.Bundle).SHA256.String(), write(s.Authority.Set(12, 2).Bundle)
		}, trust.ErrHash},
		{"another shard", func(s *server) (string, func(http.ResponseWriter)) {
			return s.Shards[0].Hash().String(), write(new(statuslist.Shard).Deflate())
		}, trust.ErrHash},
		{"shard that is no zlib", func(s *server) (string, func(http.ResponseWriter)) {
			return s.Shards[0].Hash().String(), write([]byte("zzzz"))
		}, statuslist.ErrDeflate},
		{"endless shard", func(s *server) (string, func(http.ResponseWriter)) {
			return s.Shards[0].Hash().String(), write(make([]byte, statuslist.MaxDeflated+1))
		}, feed.ErrTooLarge},
		{"another pack", func(s *server) (string, func(http.ResponseWriter)) {
			return s.packName(), write(trust.Pack{{1}}.Bytes())
		}, trust.ErrHash},
		{"pack that is none", func(s *server) (string, func(http.ResponseWriter)) { return s.packName(), write([]byte("<html>")) }, trust.ErrHash},
		{"endless pack", func(s *server) (string, func(http.ResponseWriter)) {
			return s.packName(), write(make([]byte, trust.MaxPackLen+1))
		}, feed.ErrTooLarge},
		{"endless timestamp", func(*server) (string, func(http.ResponseWriter)) {
			return "timestamp", write(bytes.Repeat([]byte("x"), trust.MaxTimestampLen+1))
		}, feed.ErrTooLarge},
		{"rubbish for a root", func(*server) (string, func(http.ResponseWriter)) { return "root/2", write([]byte("<html>")) }, trust.ErrTypeLine},
	} {
		refused := func(t *testing.T, open func(*testing.T, string) device) {
			t.Parallel()
			s := serve(t, trusttest.New(t, "a"))
			d := enrol(t, s, open(t, s.url))
			s.Shards[0].Set(7, statuslist.Revoked)
			s.publish(11, 1)
			name, answer := tt.object(s)
			s.hook = func(w http.ResponseWriter, asked string) bool {
				if asked == name {
					answer(w)
				}
				return asked == name
			}
			_, err := d.Refresh(t.Context())
			if !errors.Is(err, tt.want) {
				t.Errorf("Refresh = %v, want %v", err, tt.want)
			}
			if got := d.state(t).Timestamp.Version; got != 10 {
				t.Errorf("version %d is held, want 10", got)
			}
			at, err := d.book.LastAttempt(t.Context())
			if err != nil || !strings.Contains(at.Error, tt.want.Error()) || at.Refreshed.Equal(at.At) {
				t.Errorf("LastAttempt = %+v, %v", at, err)
			}
			s.hook = nil
			if _, err := d.Refresh(t.Context()); err != nil || d.state(t).Timestamp.Version != 11 {
				t.Errorf("the next Refresh = %v", err)
			}
		}
		t.Run(tt.name, func(t *testing.T) { refused(t, newDevice) })
		t.Run(tt.name+", in a journal", func(t *testing.T) { refused(t, onJournal) })
	}
}

// The device accepts a new root even if it refuses the documents: the root may
// end the trust in a stolen online key.
func TestRootComesAlone(t *testing.T) {
	t.Parallel()
	s := serve(t, trusttest.New(t, "a"))
	d := enrolled(t, s)
	stolen := s.Online
	s.Rotate("new-online")
	s.Online = stolen
	s.publish(99, 2)
	rep, err := d.Refresh(t.Context())
	if !errors.Is(err, trust.ErrForeignKey) || !rep.Changes.Reset {
		t.Errorf("Refresh = %+v, %v; want the stolen key refused", rep, err)
	}
	if st := d.state(t); st.Root.Version != 2 || st.Complete() {
		t.Errorf("root %d, complete %v", st.Root.Version, st.Complete())
	}
	s.Online = trusttest.NewSigner(t, "new-online")
	s.publish(5, 3) // below the fast-forwarded versions of the thief
	if _, err := d.Refresh(t.Context()); err != nil || d.state(t).Timestamp.Version != 5 {
		t.Errorf("Refresh = %v", err)
	}
}

func TestManyRootsTakeSeveralRuns(t *testing.T) {
	t.Parallel()
	s := serve(t, trusttest.New(t, "a"))
	d := enrolled(t, s)
	for range trust.MaxRootRun + 3 {
		s.Rotate("")
	}
	for _, want := range []uint64{trust.MaxRootRun + 1, trust.MaxRootRun + 4} {
		if _, err := d.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := d.state(t).Root.Version; got != want {
			t.Errorf("root %d, want %d", got, want)
		}
	}
}

func TestRefreshWithoutGateway(t *testing.T) {
	t.Parallel()
	s := serve(t, trusttest.New(t, "a"))
	d := newDevice(t, "")
	if _, err := d.Refresh(t.Context()); !errors.Is(err, trustbook.ErrNotEnrolled) {
		t.Errorf("Refresh = %v, want ErrNotEnrolled", err)
	}
	if _, err := d.Enrol(t.Context(), nil); !errors.Is(err, feed.ErrNoGateway) {
		t.Errorf("Enrol = %v, want ErrNoGateway", err)
	}
	state, err := trust.Pin(s.Roots, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.book.Pin(t.Context(), state); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Refresh(t.Context()); !errors.Is(err, feed.ErrNoGateway) {
		t.Errorf("Refresh = %v, want ErrNoGateway", err)
	}
	// Later runs use the gateway from the enrolment.
	if err := d.book.SetGateway(t.Context(), s.url); err != nil {
		t.Fatal(err)
	}
	if rep, err := d.Refresh(t.Context()); err != nil || rep.Timestamp.Version != 10 {
		t.Errorf("Refresh = %+v, %v", rep, err)
	}
}
