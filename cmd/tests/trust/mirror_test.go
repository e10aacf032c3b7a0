package trust_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline/statuslist"
)

// TestStaticMirror: scanners enrol and refresh from a folder that tcode-gateway
// mirror writes and a plain web server serves, by packs and by deltas, also during
// writing. The mirror keeps the objects that devices may still need, and no others.
func TestStaticMirror(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	w.Down()
	c := newCrowd(w, 140, map[statuslist.Value]int{statuslist.Revoked: 3})
	w.Start()
	c.published()
	dir := filepath.Join(w.Dir, "mirror")
	write := func() string {
		t.Helper()
		out, err := exec.Command(world.Program(t, "tcode-gateway"), "--data", w.Data, "--json",
			"mirror", dir).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if out := write(); !strings.Contains(out, `"removed":0`) {
		t.Error(out)
	}
	if out := write(); !strings.Contains(out, `"written":0,"removed":0`) {
		t.Errorf("nothing has changed, and yet: %s", out)
	}
	var asked []string
	web := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path[strings.LastIndex(r.URL.Path, "/trust-store/")+13:])
		http.FileServer(http.Dir(dir)).ServeHTTP(rw, r)
	}))
	defer web.Close()
	s, late := w.OpenDevice("device"), w.OpenDevice("late")
	first, err := s.Enrol(t.Context(), web.URL, nil)
	if err != nil || first.Requests > 10 {
		t.Fatalf("%+v, %v", first, err)
	}
	if packs := strings.Count(strings.Join(asked, " "), "packs/"); packs != 2 {
		t.Errorf("asked for %v", asked)
	}
	if _, err := late.Enrol(t.Context(), web.URL, nil); err != nil {
		t.Fatal(err)
	}
	c.same(s, nil)

	// A mirror that stays writes new files.
	stays := exec.Command(world.Program(t, "tcode-gateway"), "--data", w.Data, "mirror", dir,
		"--every", "1s")
	if err := stays.Start(); err != nil {
		t.Fatal(err)
	}
	c.change(5, w.Issuers[0].Reference, statuslist.Revoked)
	c.published()
	timestamp := filepath.Join(dir, "v1", "reference-data", "trust-store", "timestamp")
	want := w.Fetch(w.Issuers[0], http.MethodGet,
		w.URL()+"/v1/reference-data/trust-store/timestamp", nil)
	until := time.Now().Add(time.Minute)
	for string(world.ReadFile(t, timestamp)) != string(want) {
		time.Sleep(50 * time.Millisecond)
		if time.Now().After(until) {
			t.Fatal("mirror --every does not write new files")
		}
	}
	stays.Process.Signal(os.Interrupt)
	if err := stays.Wait(); err != nil {
		t.Error(err)
	}
	r, err := s.Refresh(t.Context(), "")
	if err != nil || r.Requests > 5 || len(r.Changes.Shards) == 0 {
		t.Errorf("by delta: %+v, %v", r, err)
	}
	c.same(s, nil)

	// An hour and a day later, old objects are removed, and needed ones stay.
	store := filepath.Join(dir, "v1", "reference-data", "trust-store")
	files, err := os.ReadDir(store)
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-25 * time.Hour)
	for _, f := range files {
		if !f.IsDir() {
			if err := os.Chtimes(filepath.Join(store, f.Name()), long, long); err != nil {
				t.Fatal(err)
			}
		}
	}
	// more than a delta holds
	c.change(5000, w.Issuers[0].Reference, statuslist.Revoked, statuslist.Suspended)
	c.published()
	if out := write(); strings.Contains(out, `"removed":0`) {
		t.Errorf("nothing old is removed: %s", out)
	}
	if _, err := s.Refresh(t.Context(), ""); err != nil {
		t.Error(err)
	}
	if _, err := late.Refresh(t.Context(), ""); err != nil {
		t.Error(err)
	}
	c.same(s, nil)
	c.same(late, nil)
	info, err := os.Stat(filepath.Join(store, "timestamp"))
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("a web server may not read it: %v, %v", info.Mode(), err)
	}
}
