package opstest

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/server/internal/harness"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/spool"
	"tcode/server/privacy"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// aged makes the stored files old enough to be removed.
func (w *mailWorld) aged() {
	hourAgo := time.Now().Add(-time.Hour)
	must(w.T, filepath.WalkDir(filepath.Join(w.Dir, "files"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			err = os.Chtimes(path, hourAgo, hourAgo)
		}
		return err
	}))
}

func (w *mailWorld) erase(id string) {
	_, err := w.Admin.Privacy.Erase(w.T.Context(), "ACME01", tenant.By{Actor: tenant.ActorOperator}, privacy.Order{Of: privacy.Document, ID: id})
	must(w.T, err)
}

func (w *mailWorld) erased(id string) bool {
	e, err := w.Admin.Privacy.Erasure(w.T.Context(), "ACME01", id)
	must(w.T, err)
	return e.Step == privacy.StepDone
}

// leaving returns the files that records have let go.
func (w *mailWorld) leaving() (list []string) {
	rows, err := storetest.Raw(w.T, w.Dir).Query(`SELECT sha256 FROM leaving_files ORDER BY sha256`)
	must(w.T, err)
	defer rows.Close()
	for rows.Next() {
		var sha string
		must(w.T, rows.Scan(&sha))
		list = append(list, sha)
	}
	must(w.T, rows.Err())
	return list
}

// TestPoisonOwn: erasures, files that leave, expiries and, in the long form, sweeps that end the
// process each time are set aside, and all others are done. TCODE_POISON is the number of such
// items of each kind.
//
//engine:sqlite rows of PostgreSQL are in TestPoisonRows; bash .ci/long poison-pg has all
func TestPoisonOwn(t *testing.T) {
	t.Parallel()
	n := often(t, "TCODE_POISON", 1)
	faults := []string{"exit"}
	if n > 1 {
		faults = append(faults, "memory")
	}
	w := newMailWorld(t, storetest.DefaultEngine())
	w.patience = time.Duration(n) * 3 * time.Minute
	g := supervise(t, w.Dir)
	issue := func(name string, change func(*trustdoc.Issuance)) string {
		return w.issue(name, func(r *trustdoc.Issuance) {
			r.RecipientEmail = ""
			if change != nil {
				change(r)
			}
		}).ID
	}
	withFile := func(name string) string {
		return issue(name, func(r *trustdoc.Issuance) { r.PDF = spool.Bytes(harness.PDF(name)) })
	}
	fault := func(i int) string { return faults[i%len(faults)] }
	// Files that end the process, then good ones and good erasures.
	var bad, badFiles, good, expires, stays []string
	for i := range n {
		id := withFile(fmt.Sprintf("File %d", i))
		badFiles = append(badFiles, id)
		w.erase(id)
	}
	poison := w.leaving()
	for i, sha := range poison {
		g.seed("leaving-file", sha, fault(i))
	}
	soon := time.Now().Add(3 * time.Second)
	for i := range 3 * n {
		id := withFile(fmt.Sprintf("Erased %d", i))
		if i < n {
			bad = append(bad, id)
			g.seed("erasure", id, fault(i))
		} else {
			good = append(good, id)
		}
		over := issue(fmt.Sprintf("Over %d", i), func(r *trustdoc.Issuance) { r.ExpiresAt = soon })
		if i < n {
			stays = append(stays, over)
			g.seed("expiry", over, fault(i))
		} else {
			expires = append(expires, over)
		}
	}
	w.aged()
	for _, id := range append(bad, good...) {
		w.erase(id)
	}
	want := len(poison) + 2*n
	if n > 1 {
		g.seed("sweep", "ACME01.history", "exit")
		want++
	}
	time.Sleep(time.Until(soon.Add(time.Second)))
	g.start()
	w.until("the good ones are done", func() bool {
		for _, id := range good {
			if !w.erased(id) {
				return false
			}
		}
		return w.expired(expires...)
	})
	w.until("the others are set aside", func() bool {
		return strings.Count(g.run("job", "list", "--state", "set-aside", "--json", "--limit", "5000"), `"set-aside"`) >= want
	})
	g.listed(want, 3)
	if w.erased(bad[0]) || w.erased(badFiles[0]) || w.expired(stays[0]) {
		t.Error("an item was done that ends the process")
	}
	// An operator has one tried again after its cause is gone.
	must(t, os.Remove(filepath.Join(g.seeds, "erasure@"+bad[0]+".always")))
	must(t, os.Remove(filepath.Join(g.seeds, "expiry@"+stays[0]+".always")))
	g.run("job", "retry", bad[0])
	g.run("job", "retry", "documents/"+stays[0])
	w.until("they are done", func() bool { return w.erased(bad[0]) && w.expired(stays[0]) })
	g.listed(want-2, 3)
	t.Logf("%d erasures, %d expiries, %d files and %d sweeps end the process; the gateway was started %d times", n, n, len(poison), want-len(poison)-2*n, g.starts.Load())
}

// expired reports whether documents are stored as Expired.
func (w *mailWorld) expired(ids ...string) bool {
	for _, id := range ids {
		var status string
		must(w.T, storetest.Raw(w.T, w.Dir).QueryRow(`SELECT status FROM documents WHERE id = $1`, id).Scan(&status))
		if status != string(trustdoc.Expired) {
			return false
		}
	}
	return true
}

// TestPoisonPublication: a gateway whose publication ends its process serves with the documents of
// before, says that it does not publish, and does so when the cause is gone.
func TestPoisonPublication(t *testing.T) {
	t.Parallel()
	w := newMailWorld(t, storetest.DefaultEngine())
	_, err := w.Admin.Publisher.Publish(t.Context())
	must(t, err)
	metrics := freeAddress(t)
	g := supervise(t, w.Dir, "--metrics-addr", metrics)
	g.seed("publication", "documents", "exit")
	w.Tenant("OTHER1") // a change
	g.start()
	w.until("it names the missing part", func() bool {
		status, parts := readiness(metrics)
		return status == http.StatusServiceUnavailable && parts["publication"] != nil
	})
	g.listed(1, 2)
	d := w.issue("Eve", func(r *trustdoc.Issuance) { r.RecipientEmail, r.ExpiresAt = "", time.Now().Add(time.Second) })
	w.until("other work goes on", func() bool { return w.expired(d.ID) })
	must(t, os.Remove(filepath.Join(g.seeds, "publication@documents.always")))
	w.until("it publishes", func() bool { status, _ := readiness(metrics); return status == http.StatusOK })
	g.listed(0, 2)
}

// TestRoundsThatPanic: a gateway says which service does not get through its rounds, goes on with
// the others, and is ready after a good round.
//
//engine:sqlite services, not rows
func TestRoundsThatPanic(t *testing.T) {
	t.Parallel()
	w := newMailWorld(t, storetest.SQLite)
	metrics := freeAddress(t)
	g := supervise(t, w.Dir, "--metrics-addr", metrics)
	g.seed("round", "privacy", "panic")
	g.start()
	w.until("it names the missing part", func() bool {
		status, parts := readiness(metrics)
		return status == http.StatusServiceUnavailable && len(parts) == 1 && parts["privacy"] != nil
	})
	d := w.issue("Eve", func(r *trustdoc.Issuance) { r.RecipientEmail, r.ExpiresAt = "", time.Now().Add(time.Second) })
	w.until("another service goes on", func() bool { return w.expired(d.ID) })
	must(t, os.Remove(filepath.Join(g.seeds, "round@privacy.always")))
	w.until("it is ready", func() bool { status, _ := readiness(metrics); return status == http.StatusOK })
	g.listed(0, 1)
}

// freeAddress returns an address that no other test takes: they use other addresses of this machine.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.3:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}

// readiness returns what /readyz of a gateway says; 0 if it does not answer.
func readiness(addr string) (status int, parts map[string]any) {
	a, err := http.Get("http://" + addr + "/readyz")
	if err != nil {
		return 0, nil
	}
	defer a.Body.Close()
	raw, _ := io.ReadAll(a.Body)
	var body struct{ Errors map[string]any }
	_ = json.Unmarshal(raw, &body) // nil: it names none
	return a.StatusCode, body.Errors
}
