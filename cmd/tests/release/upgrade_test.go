package release_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/server/store/storetest"
	"tcode/testdata/corpus"
)

// An upgrade is a gateway of an older program that this one continues.
type upgrade struct {
	t        *testing.T
	commit   string // of the older program
	old, now string // folders of programs
	dir      string
	addr     string
	database string // address of PostgreSQL; "" for SQLite
	key      string
	serving  *exec.Cmd
	papers   []oldPaper
	document *oldPaper // of a Trust document; nil: the program has none
	scans    map[string]int
}

// An oldPaper is a record with what the older program said of it.
type oldPaper struct {
	id, reference string
	files         map[string][]byte // by kind
	answer        map[string]any    // of a verification
	record        map[string]any
}

// TestUpgradePrograms: gateways of older programs, with data that they made themselves, are
// continued by this program, and so are scanners. TCODE_UPGRADE_FROM names commits, separated
// by commas. TCODE_UPGRADE_PROGRAMS is a folder that keeps the built programs.
func TestUpgradePrograms(t *testing.T) {
	if os.Getenv("TCODE_UPGRADE_FROM") == "" {
		t.Skip("TCODE_UPGRADE_FROM names no commits")
	}
	for _, commit := range strings.Split(os.Getenv("TCODE_UPGRADE_FROM"), ",") {
		t.Run(commit, func(t *testing.T) {
			old := olderPrograms(t, commit)
			help, err := exec.Command(filepath.Join(old, "tcode-gateway"), "serve", "--help").CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, help)
			}
			engines := []storetest.Engine{storetest.SQLite}
			if strings.Contains(string(help), "--database-url") {
				engines = append(engines, storetest.Postgres)
			}
			for _, e := range engines {
				t.Run(string(e), func(t *testing.T) { newUpgrade(t, commit, old, e).run() })
			}
		})
	}
}

// olderPrograms returns a folder with the programs of a commit, and builds them if they are
// not there.
func olderPrograms(t *testing.T, commit string) string {
	t.Helper()
	keep := os.Getenv("TCODE_UPGRADE_PROGRAMS")
	if keep == "" {
		keep = t.TempDir()
	}
	dir := filepath.Join(keep, commit)
	if _, err := os.Stat(filepath.Join(dir, "tcode-gateway")); err == nil {
		return dir
	}
	script := `set -e; mkdir -p "$1" "$2"; git -C "$4" archive "$3" | tar x -C "$2"; cd "$2"; go build -buildvcs=false -o "$1/" ./cmd/tcode-gateway ./cmd/tcode-scan`
	if out, err := exec.Command("sh", "-c", script, "sh", dir, filepath.Join(t.TempDir(), "src"),
		commit, corpus.Root()).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", commit, err, out)
	}
	return dir
}

func newUpgrade(t *testing.T, commit, old string, e storetest.Engine) *upgrade {
	u := &upgrade{
		t: t, commit: commit, old: old,
		now: filepath.Dir(world.Program(t, "tcode-gateway")), dir: t.TempDir(),
		addr: world.FreeAddress(t), scans: map[string]int{},
	}
	if e == storetest.Postgres {
		u.database = storetest.EmptyPostgres(t)
	}
	return u
}

// gateway runs a command of a gateway of either program.
func (u *upgrade) gateway(programs string, args ...string) (string, int) {
	u.t.Helper()
	cmd := u.command(programs, "tcode-gateway", args...)
	out, err := cmd.CombinedOutput()
	return string(out), world.ExitCode(u.t, err)
}

func (u *upgrade) command(programs, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(programs, name), args...)
	cmd.Env = append(os.Environ(), "TCODE_DATA="+filepath.Join(u.dir, "data"), "TCODE_LOG_FORMAT=text")
	if u.database != "" {
		cmd.Env = append(cmd.Env, "TCODE_DATABASE_URL="+u.database)
	}
	return cmd
}

// scanner runs a command of a scanner of either program, with a home.
func (u *upgrade) scanner(programs, home string, args ...string) (string, int) {
	u.t.Helper()
	var said bytes.Buffer
	cmd := u.command(programs, "tcode-scan", append([]string{"--json", "--home", filepath.Join(u.dir, home)}, args...)...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	code := world.ExitCode(u.t, err)
	if code > 1 {
		u.t.Logf("tcode-scan %s: exit code %d, %s", strings.Join(args, " "), code, said.String())
	}
	return string(out), code
}

// serve starts the gateway of a program.
func (u *upgrade) serve(programs string) {
	u.t.Helper()
	u.serving = u.command(programs, "tcode-gateway", "serve", "--addr", u.addr, "--lookups-per-minute", "0", "--scans-per-minute", "0")
	var said bytes.Buffer
	u.serving.Stderr = &said
	if err := u.serving.Start(); err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { u.stop(os.Kill) })
	for range 600 {
		if res, err := http.Get("http://" + u.addr + "/v1/reference-data/document-types"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	u.t.Fatalf("the gateway does not answer: %s", said.String())
}

// stop ends the gateway.
func (u *upgrade) stop(signal os.Signal) {
	if u.serving == nil {
		return
	}
	_ = u.serving.Process.Signal(signal)
	_ = u.serving.Wait()
	u.serving = nil
}

// call sends a request and returns status and answer.
func (u *upgrade) call(method, path string, body any) (int, []byte) {
	u.t.Helper()
	var raw io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			u.t.Fatal(err)
		}
		raw = bytes.NewReader(text)
	}
	if !strings.HasPrefix(path, "http") {
		path = "http://" + u.addr + path
	}
	ctx, cancel := context.WithTimeout(u.t.Context(), 2*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, path, raw)
	if err != nil {
		u.t.Fatal(err)
	}
	req.Header.Set("x-api-key", u.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		u.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		u.t.Fatal(err)
	}
	return res.StatusCode, answer
}

// data returns the record of an answer; anything but success fails the test.
func (u *upgrade) data(method, path string, body any) map[string]any {
	u.t.Helper()
	status, raw := u.call(method, path, body)
	var answer struct{ Data map[string]any }
	if status >= 300 || json.Unmarshal(raw, &answer) != nil {
		u.t.Fatalf("%s %s: %d %s", method, path, status, raw)
	}
	return answer.Data
}

// run plays the life of a gateway: the older program, then this one.
func (u *upgrade) run() {
	u.begin()
	u.serve(u.old)
	for i := range 4 {
		u.stamp(i)
	}
	u.change()
	u.issue()
	u.settle()
	forward := u.scanWith(u.now, "new-at-old") // a new scanner at an old gateway
	u.scanWith(u.old, "kept")
	u.stop(syscall.SIGTERM)
	u.serve(u.old)
	u.stamp(4)
	u.settle()
	u.remember()
	u.stop(os.Kill)

	u.serve(u.now)
	u.settle()
	u.compare()
	back := u.scanWith(u.old, "old-at-new") // an old scanner at a new gateway
	u.continueScanner(u.old, "kept", back)
	u.continueScanner(u.now, "kept", true)
	u.stamp(5)
	u.stop(syscall.SIGTERM)
	if out, code := u.gateway(u.now, "fsck"); code != 0 {
		u.t.Errorf("fsck: exit code %d\n%s", code, out)
	}
	u.countScans()
	if u.database == "" {
		u.backup()
	}
	u.t.Logf("%s: %d stamps, Trust document %v, %d scans; a new scanner at the old gateway: %v; an old scanner at the new gateway: %v",
		u.commit, len(u.papers), u.document != nil, len(u.scans), forward, back)
}

// begin makes a gateway with two tenants.
func (u *upgrade) begin() {
	u.t.Helper()
	if out, code := u.gateway(u.old, "init"); code != 0 && !strings.Contains(out, "unexpected argument init") {
		u.t.Fatal(out)
	}
	for _, args := range [][]string{
		{"tenant", "create", "--name", "Acme University", "--reference", "ACME01"},
		{"tenant", "create", "--name", "Another", "--reference", "OTHER1"},
	} {
		if out, code := u.gateway(u.old, args...); code != 0 {
			u.t.Fatal(out)
		}
	}
	key, err := u.command(u.old, "tcode-gateway", "key", "create", "--tenant", "ACME01", "--name", "office").Output()
	if err != nil {
		u.t.Fatal(err)
	}
	u.key = strings.TrimSpace(string(key))
	if _, code := u.gateway(u.old, "webhook", "create", "--help"); code == 0 {
		if out, code := u.gateway(u.old, "webhook", "create", "--tenant", "ACME01", "--url", "https://hooks.example.org/tcode", "--events", "stamp.*"); code != 0 {
			u.t.Fatal(out)
		}
	}
}

// stamp stamps a document of its own and downloads all files of it.
func (u *upgrade) stamp(n int) {
	u.t.Helper()
	made := u.data(http.MethodPost, "/v1/tcode/stamps", map[string]any{
		"name": fmt.Sprintf("Paper number %d", n), "documentTypeCode": "DIP",
		"pdf":        base64.StdEncoding.EncodeToString(world.SmallPDF(n)),
		"externalId": fmt.Sprint("paper-", n),
	})
	p := oldPaper{id: made["id"].(string), reference: made["reference"].(string), files: map[string][]byte{}}
	for _, kind := range []string{"stamped", "original", "barcode", "payload"} {
		p.files[kind] = u.download("/v1/tcode/stamps/"+p.id+"/download?type="+kind, false)
	}
	u.papers = append(u.papers, p)
}

// download returns a file of a record; nil if there is none and that is permitted.
func (u *upgrade) download(path string, optional bool) []byte {
	u.t.Helper()
	status, raw := u.call(http.MethodGet, path, nil)
	var link struct{ Data struct{ URL string } }
	if status != http.StatusOK && optional {
		return nil
	}
	if status != http.StatusOK || json.Unmarshal(raw, &link) != nil {
		u.t.Fatalf("%s: %d %s", path, status, raw)
	}
	status, raw = u.call(http.MethodGet, link.Data.URL, nil)
	if status != http.StatusOK {
		u.t.Fatalf("%s: %d %s", link.Data.URL, status, raw)
	}
	return raw
}

// change suspends, revokes and replaces stamps.
func (u *upgrade) change() {
	u.t.Helper()
	for i, action := range []string{"suspend", "revoke"} {
		if status, raw := u.call(http.MethodPost, "/v1/tcode/stamps/"+u.papers[i].id+"/"+action, map[string]any{"reason": "test"}); status != http.StatusNoContent {
			u.t.Fatalf("%s: %d %s", action, status, raw)
		}
	}
	status, raw := u.call(http.MethodPost, "/v1/tcode/stamps/"+u.papers[2].id+"/replace",
		map[string]any{
			"name": "Replacement",
			"pdf":  base64.StdEncoding.EncodeToString(world.SmallPDF(20)),
		})
	if status != http.StatusOK && status != http.StatusNotFound && !strings.Contains(string(raw), "does not do that yet") {
		u.t.Fatalf("replace: %d %s", status, raw)
	}
	if status, _ := u.call(http.MethodGet, "/v1/tcode/templates/placement", nil); status == http.StatusOK {
		u.data(http.MethodPost, "/v1/tcode/templates/placement", map[string]any{"name": "corner", "anchor": "bottom-right"})
	}
}

// issue issues a Trust document, if the program can, and suspends it.
func (u *upgrade) issue() {
	u.t.Helper()
	if status, _ := u.call(http.MethodGet, "/v1/trust/templates", nil); status != http.StatusOK {
		return
	}
	template := u.data(http.MethodPost, "/v1/trust/templates", map[string]any{
		"name": "diploma", "documentTypeCode": "DIP", "fields": []any{map[string]any{"key": "holder", "label": "Holder", "type": "text", "required": false}},
	})
	made := u.data(http.MethodPost, "/v1/trust/issuances", map[string]any{
		"templateId": template["id"], "recipientName": "Ada Lovelace", "documentTitle": "Diploma", "pdf": base64.StdEncoding.EncodeToString(world.SmallPDF(30)),
		"fields": []any{map[string]any{"key": "holder", "value": "Ada Lovelace"}},
	})
	u.document = &oldPaper{id: made["id"].(string), reference: made["reference"].(string), files: map[string][]byte{}}
	for _, kind := range []string{"stamped", "original"} {
		if file := u.download("/v1/trust/issuances/"+u.document.id+"/download?type="+kind, true); file != nil {
			u.document.files[kind] = file
		}
	}
	if status, raw := u.call(http.MethodPost, "/v1/trust/issuances/"+u.document.id+"/lifecycle", map[string]any{"action": "suspend", "reason": "test"}); status != http.StatusNoContent {
		u.t.Fatalf("suspend: %d %s", status, raw)
	}
}

// settle waits until the trust documents are published.
func (u *upgrade) settle() { time.Sleep(2500 * time.Millisecond) }
