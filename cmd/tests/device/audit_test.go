package device_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"tcode/cmd/internal/world"
	"tcode/sync/outbox"
)

// audited is the summary of tcode-scan audit.
type audited struct {
	Scans          map[string]int
	ReceiptsByRoot map[string]int
	BadReceipts    int
	NotInHistory   int
	Damaged        string
	ClockEvents    map[string]int
	LostEvents     int `json:"clockEventsLost"`
	Problems       int
	out            string
}

func auditOf(t testing.TB, scan func(...string) (string, int), args ...string) (s audited) {
	t.Helper()
	out, code := scan(append([]string{"audit"}, args...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); err != nil {
		t.Fatalf("exit code %d, %v\n%s", code, err, out)
	}
	if s.out = out; (code == 1) != (s.Problems > 0) || code > 1 {
		t.Errorf("exit code %d with %d problems\n%s", code, s.Problems, out)
	}
	return s
}

// TestAudit: receipts alone prove which scans the gateway has, also on a copy of the
// home folder without its device key; the audit names a history that differs.
func TestAudit(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	paper := w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1))
	revoked := w.Stamp(w.Issuers[0], "revoked", world.SmallPDF(2))
	pdf, gone := w.File("paper.pdf", paper.PDF), w.File("=gone.pdf", revoked.PDF)
	scan := w.Scan("home")
	if out, code := scan("enrol", "--gateway", w.URL()); code != 0 {
		t.Fatal(out)
	}
	w.Call(w.Issuers[0], "POST", "/v1/tcode/stamps/"+revoked.ID+"/revoke", map[string]any{}, nil)
	for _, file := range []string{pdf, gone, pdf} {
		if out, code := scan("verify", "--location", "gate 4", file); code != 0 {
			t.Fatalf("verify: exit code %d\n%s", code, out)
		}
	}
	if s := auditOf(t, scan); s.Problems != 0 || s.Scans["waiting"] != 3 || len(s.ReceiptsByRoot) != 0 {
		t.Errorf("before sync:\n%s", s.out)
	}
	if out, code := scan("report"); code != 0 || !strings.Contains(out, `"accepted":3,"regrets":0,"unproven":0,"waiting":3`) {
		t.Errorf("report before sync: exit code %d\n%s", code, out)
	}
	older := copyHome(w, "older")
	if out, code := scan("sync"); code != 0 {
		t.Fatalf("sync: exit code %d\n%s", code, out)
	}
	if s := auditOf(t, scan); s.Problems != 0 || s.Scans["held"] != 3 || s.ReceiptsByRoot["1"] != 1 || strings.Count(s.out, `"verdictAtScan":"revoked"`) != 1 {
		t.Errorf("after sync:\n%s", s.out)
	}

	// This home has accepted the revoked document.
	out, code := scan("report")
	if code != 1 || strings.Count(out, "\n") != 2 || !strings.Contains(out, `"verdictAtScan":"revoked"`) || !strings.Contains(out, `"location":"gate 4"`) ||
		!strings.Contains(out, `"file":"`+gone) || !strings.Contains(out, revoked.Reference) ||
		!strings.Contains(out, `"receipt":true`) {
		t.Errorf("report: exit code %d\n%s", code, out)
	}
	if out, code := scan("report", "--until", "2020-01-01"); code != 0 || strings.Count(out, "\n") != 1 {
		t.Errorf("report of another time: exit code %d\n%s", code, out)
	}

	// An auditor has a copy without the device key. The audit must not change it.
	copied := copyHome(w, "copy")
	if err := os.Remove(filepath.Join(copied, "device.key")); err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, copied)
	auditor := w.Scan("unused")
	if s := auditOf(t, auditor, copied); s.Problems != 0 || s.Scans["held"] != 3 {
		t.Errorf("a copy:\n%s", s.out)
	}
	if after := filesOf(t, copied); !slices.Equal(before, after) {
		t.Errorf("the folder was %v, and is %v", before, after)
	}
	if out, code := auditor("audit", "--root", strings.Repeat("0", 64), copied); code != 3 {
		t.Errorf("another root: exit code %d\n%s", code, out)
	}
	if s := auditOf(t, auditor, "--problems", copied); strings.Count(s.out, "\n") != 1 {
		t.Errorf("problems alone:\n%s", s.out)
	}

	// An older copy lacks the later scans; with a receipt it knows of them.
	change(t, older, `ATTACH '`+filepath.Join(copied, "outbox.db")+`' AS other; INSERT INTO receipts SELECT * FROM other.receipts; DELETE FROM scans WHERE seq = 3`)
	if s := auditOf(t, auditor, older); s.NotInHistory != 1 || s.Scans["missing"] != 1 || s.Scans["held"] != 2 {
		t.Errorf("an older copy:\n%s", s.out)
	}
	change(t, copied, `UPDATE scans SET gw_verdict = 'valid', gw_at_scan = 'valid' WHERE gw_verdict = 'revoked'`)
	if s := auditOf(t, auditor, copied); s.Problems != 1 || s.Scans["contradicts"] != 1 {
		t.Errorf("a row that was changed:\n%s", s.out)
	}
	if out, code := auditor("report", "--json=false", "--csv", copied); code != 1 || !strings.HasPrefix(out, "\ufeffscanId,") || !strings.Contains(out, "valid,revoked,revoked") || strings.Contains(out, ",=") {
		t.Errorf("report of a row that was changed: exit code %d\n%s", code, out)
	}
	change(t, copied, `UPDATE receipts SET answers = CAST(answers || x'00' AS BLOB)`)
	if s := auditOf(t, auditor, copied); s.BadReceipts != 1 || s.Scans["no_receipt"] != 3 {
		t.Errorf("a receipt that was changed:\n%s", s.out)
	}
}

// TestAuditOfDamage: a damaged file is read page by page, and its receipts still count.
func TestAuditOfDamage(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	pdf := w.File("paper.pdf", w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1)).PDF)
	scan := w.Scan("home")
	if out, code := scan("enrol", "--gateway", w.URL()); code != 0 {
		t.Fatal(out)
	}
	for range 6 {
		if out, code := scan("verify", pdf, pdf, pdf); code != 0 {
			t.Fatalf("verify: exit code %d\n%s", code, out)
		}
	}
	if out, code := scan("sync"); code != 0 {
		t.Fatalf("sync: exit code %d\n%s", code, out)
	}
	copied := copyHome(w, "copy")
	file := filepath.Join(copied, "outbox.db")
	change(t, copied, `PRAGMA wal_checkpoint(TRUNCATE)`)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	clear(raw[:512]) // neither the header nor the schema is readable
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if s := auditOf(t, w.Scan("unused"), copied); s.Damaged == "" || s.Scans["held"] != 18 ||
		s.ReceiptsByRoot["1"] != 1 {
		t.Errorf("a damaged copy:\n%s", s.out)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(raw, after) {
		t.Errorf("the damaged file was changed, %v", err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := scan("audit", copied); code != 3 {
		t.Errorf("an empty file: exit code %d\n%s", code, out)
	}
}

// TestAuditOfClock: receipts prove which clock events the gateway has.
func TestAuditOfClock(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	scan := w.Scan("home")
	if out, code := scan("enrol", "--gateway", w.URL()); code != 0 {
		t.Fatal(out)
	}
	confirm := func() {
		t.Helper()
		o, err := outbox.Open(t.Context(), filepath.Join(w.Dir, "home", "outbox.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if _, ok, err := o.Correct(t.Context(), outbox.ClockEvent{Kind: outbox.ClockConfirmed, At: time.Now()}); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	for range 2 {
		confirm()
	}
	if s := auditOf(t, scan); s.Problems != 0 || s.ClockEvents["waiting"] != 2 {
		t.Errorf("before sync:\n%s", s.out)
	}
	if out, code := scan("sync"); code != 0 {
		t.Fatalf("sync: exit code %d\n%s", code, out)
	}
	confirm()
	if s := auditOf(t, scan); s.Problems != 0 || s.ClockEvents["held"] != 2 || s.ClockEvents["waiting"] != 1 {
		t.Errorf("after sync:\n%s", s.out)
	}
	for _, c := range []struct {
		name, change   string
		held, problems int
	}{
		{"no-receipt", `UPDATE clock_events SET receipt = '' WHERE id = 2`, 1, 1},
		{"not-covered", `UPDATE clock_events SET receipt = (SELECT receipt FROM clock_events WHERE id = 1), told = 1 WHERE id = 3`, 2, 1},
		{"bad-receipt", `UPDATE clock_events SET receipt = replace(receipt, 'clock 2', 'clock 1')`, 0, 2},
		{"removed", `DELETE FROM clock_events WHERE id = 1`, 0, 1},
		{"changed", `UPDATE clock_events SET at = at + 1 WHERE id = 1; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`, 0, 2},
	} {
		copied := copyHome(w, c.name)
		change(t, copied, c.change)
		if s := auditOf(t, scan, copied); s.Problems != c.problems || s.ClockEvents["held"] != c.held {
			t.Errorf("%s:\n%s", c.name, s.out)
		}
	}
}

// copyHome copies the folder of the device home and returns the copy.
func copyHome(w *world.World, name string) string {
	w.T.Helper()
	to := filepath.Join(w.Dir, name)
	if err := os.CopyFS(to, os.DirFS(filepath.Join(w.Dir, "home"))); err != nil {
		w.T.Fatal(err)
	}
	return to
}

// filesOf lists a folder with sizes and times.
func filesOf(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Name()+" "+info.ModTime().String())
	}
	return all
}

// change runs statements on the history of a home folder.
func change(t *testing.T, home, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(home, "outbox.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
}
