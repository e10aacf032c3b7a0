package release_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tcode/cmd/internal/world"
	"tcode/server/store/storetest"
)

// scanWith enrols a scanner, verifies all stamps, and sends the scans; then it verifies one
// more, which stays. It reports whether the scanner accepts the trust documents of the
// gateway: before schema 19 they had another form, and the two do not read each other's.
func (u *upgrade) scanWith(programs, home string) bool {
	u.t.Helper()
	if out, code := u.scanner(programs, home, "enrol", "--gateway", "http://"+u.addr); code != 0 {
		if u.sameForm() {
			u.t.Errorf("%s: enrol: exit code %d\n%s", home, code, out)
		}
		return false
	}
	u.verify(programs, home, len(u.papers))
	if out, code := u.scanner(programs, home, "sync"); code != 0 {
		u.t.Errorf("%s: sync: exit code %d\n%s", home, code, out)
	}
	u.verify(programs, home, 1)
	return true
}

// sameForm reports whether old and new program write trust documents and receipts in the same
// form: whether the old one knows packs of status shards, which came last.
func (u *upgrade) sameForm() bool {
	u.t.Helper()
	raw, err := os.ReadFile(filepath.Join(u.old, "tcode-scan"))
	if err != nil {
		u.t.Fatal(err)
	}
	return bytes.Contains(raw, []byte("/packs/"))
}

// verify verifies the first stamps, and counts the scans.
func (u *upgrade) verify(programs, home string, n int) {
	u.t.Helper()
	want := []string{"suspended", "revoked", "", "valid", "valid", "valid"}
	for i, p := range u.papers[:n] {
		path := filepath.Join(u.dir, fmt.Sprintf("paper%d.pdf", i))
		world.WriteFile(u.t, path, p.files["stamped"])
		out, _ := u.scanner(programs, home, "verify", path)
		var answer struct {
			ScanID  string `json:"scanId"`
			Verdict string `json:"verdict"`
		}
		if err := json.Unmarshal([]byte(strings.SplitN(out, "\n", 2)[0]), &answer); err != nil || answer.ScanID == "" {
			u.t.Errorf("%s: verify paper %d: %v: %s", home, i, err, out)
			continue
		}
		u.scans[answer.ScanID] = 1
		if want[i] != "" && answer.Verdict != want[i] {
			u.t.Errorf("%s: paper %d is %s, want %s", home, i, answer.Verdict, want[i])
		}
	}
}

// continueScanner goes on with a home: it refreshes, verifies, and sends all that waits.
func (u *upgrade) continueScanner(programs, home string, reads bool) {
	u.t.Helper()
	if _, err := os.Stat(filepath.Join(u.dir, home)); err != nil {
		return
	}
	if out, code := u.scanner(programs, home, "trust", "refresh"); (code == 0) != reads {
		u.t.Errorf("%s: trust refresh: exit code %d, want success: %v\n%s", home, code, reads, out)
	}
	if reads {
		u.verify(programs, home, len(u.papers))
	}
	out, code := u.scanner(programs, home, "sync")
	if !reads && code == 1 {
		return // the receipt of the new gateway has another form: the scans stay in the queue
	}
	if code != 0 {
		u.t.Errorf("%s: sync: exit code %d\n%s", home, code, out)
	}
	out, code = u.scanner(programs, home, "history")
	if code != 0 {
		u.t.Errorf("%s: history: exit code %d", home, code)
	}
	for line := range strings.Lines(out) {
		var row struct{ State string }
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.State != "" && row.State != "done" {
			u.t.Errorf("%s: history: %v: %s", home, err, line)
		}
	}
	if programs == u.now && u.sameForm() { // the old receipts verify
		if out, code := u.scanner(programs, home, "audit"); code != 0 {
			u.t.Errorf("%s: audit: exit code %d\n%s", home, code, out)
		}
	}
}

// countScans checks that each scan that was sent is at the gateway once. Those of scanners
// that were left alone wait there.
func (u *upgrade) countScans() {
	u.t.Helper()
	data := filepath.Join(u.dir, "data")
	if u.database != "" {
		world.WriteFile(u.t, filepath.Join(u.dir, "database-url"), []byte(u.database))
		data = u.dir
	}
	at := map[string]int{}
	rows, err := storetest.Raw(u.t, data).Query(`SELECT scan_id FROM scans`)
	if err != nil {
		u.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			u.t.Fatal(err)
		}
		at[id]++
	}
	for _, home := range []string{"new-at-old", "old-at-new"} {
		if _, err := os.Stat(filepath.Join(u.dir, home)); err == nil {
			u.drain(home)
		}
	}
	waits := 0
	for id := range u.scans {
		if at[id] == 0 {
			waits++
		}
		if at[id] > 1 {
			u.t.Errorf("scan %s is at the gateway %d times", id, at[id])
		}
		delete(at, id)
	}
	if waits > 2 {
		u.t.Errorf("%d scans are not at the gateway, want at most one of each scanner that was left", waits)
	}
	for id := range at {
		u.t.Errorf("the gateway has a scan %s that no scanner made", id)
	}
}

// drain checks that what waits at a scanner is one scan.
func (u *upgrade) drain(home string) {
	out, _ := u.scanner(u.now, home, "history", "--state", "queued")
	if n := strings.Count(out, "\n"); n > 1 {
		u.t.Errorf("%s: %d scans wait\n%s", home, n, out)
	}
}

// backup makes a backup with this program, restores it, and checks the restored folder.
func (u *upgrade) backup() {
	u.t.Helper()
	file := filepath.Join(u.dir, "backup.tar")
	if out, code := u.gateway(u.now, "backup", "--with-keyset", file); code != 0 {
		u.t.Errorf("backup: exit code %d\n%s", code, out)
		return
	}
	restored := filepath.Join(u.dir, "restored")
	if out, code := u.gateway(u.now, "restore", file, "--data", restored); code != 0 {
		u.t.Errorf("restore: exit code %d\n%s", code, out)
	}
	out, _ := u.gateway(u.now, "fsck", "--data", restored)
	_, since, _ := strings.Cut(out, "No trust documents cover ")
	since, _, _ = strings.Cut(since, " ")
	if out, code := u.gateway(u.now, "fsck", "--uncovered-since", since, "--data", restored); code != 0 {
		u.t.Errorf("fsck: exit code %d\n%s", code, out)
	}
}
