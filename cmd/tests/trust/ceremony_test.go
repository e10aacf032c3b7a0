package trust_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/world"
)

// An operator has the programs, a serving gateway and a folder.
type operator struct {
	t    *testing.T
	dir  string
	data string
	// database is the PostgreSQL database of the gateway; "": SQLite.
	database string
	url      string
	env      []string
	kills    func() // ends the gateway that serves
}

// newOperator serves a new gateway with the real program until the test ends.
// Before that it calls each of before with the gateway's folder.
func newOperator(t *testing.T, before ...func(data string)) *operator {
	t.Helper()
	return newOperatorOn(t, "", before...)
}

// newOperatorOn is newOperator with rows in a PostgreSQL database; "": in SQLite.
func newOperatorOn(t *testing.T, database string, before ...func(data string)) *operator {
	t.Helper()
	o := &operator{t: t, dir: t.TempDir(), database: database}
	o.data = filepath.Join(o.dir, "gateway")
	o.programs()
	o.run("tcode-gateway init")
	o.run("tcode-gateway tenant create --name Acme --reference ACME01")
	for _, do := range before {
		do(o.data)
	}
	o.serve("127.0.0.1:0")
	return o
}

// programs makes the shell find our programs, with the folders of o.
func (o *operator) programs() {
	o.t.Helper()
	bin := filepath.Dir(world.Program(o.t, "tcode-gateway"))
	o.env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "TCODE_DATA="+o.data, "TCODE_DATABASE_URL="+o.database,
		"TCODE_HOME="+filepath.Join(o.dir, "scanner"), "TCODE_ROOT_PASSPHRASE=correct horse battery", "TCODE_SCRYPT_WORK=10",
		"TCODE_GATEWAY=", "TCODE_ROOT=", "TCODE_LOG_LEVEL=warn")
}

// serve runs the gateway and returns a function that kills it. A folder with SQLite has
// one gateway: that before is killed.
func (o *operator) serve(addr string) (kill func()) {
	o.t.Helper()
	if o.database == "" && o.kills != nil {
		o.kills()
	}
	cmd := exec.Command(world.Program(o.t, "tcode-gateway"), "serve", "--json", "--addr", addr,
		"--lookups-per-minute", "0")
	cmd.Env = o.env
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		o.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	ended := make(chan struct{})
	kill = func() {
		cmd.Process.Kill()
		<-ended
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	go func() {
		cmd.Wait()
		close(ended)
	}()
	o.t.Cleanup(kill)
	o.kills = kill
	var ready struct{ URL string }
	if err != nil || json.Unmarshal(line, &ready) != nil {
		kill()
		o.t.Fatalf("gateway says %q: %v\n%s", line, err, log.String())
	}
	o.url = ready.URL
	return kill
}

// try runs a shell command in the operator's folder.
func (o *operator) try(line string) (stdout, stderr string, code int) {
	o.t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = o.dir, o.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	return out.String(), errs.String(), world.ExitCode(o.t, err)
}

// run runs a command that must succeed.
func (o *operator) run(line string) string {
	o.t.Helper()
	stdout, stderr, code := o.try(line)
	if code != 0 {
		o.t.Fatalf("%s: exit code %d\n%s%s", line, code, stdout, stderr)
	}
	return stdout
}

// typed returns a command of the page with the time that fsck prints in place of the
// page's.
func (o *operator) typed(command string) string {
	o.t.Helper()
	command, _, ok := strings.Cut(command, " --uncovered-since ")
	if !ok {
		return command
	}
	_, said, _ := o.try(strings.Replace(command, " --apply", "", 1))
	_, since, ok := strings.Cut(strings.TrimSpace(said), "--uncovered-since ")
	if !ok {
		o.t.Fatalf("fsck states no span: %s", said)
	}
	return command + " --uncovered-since " + since
}

// refused runs a command that must fail and print want.
func (o *operator) refused(line, want string) {
	o.t.Helper()
	if stdout, stderr, code := o.try(line); code == 0 || !strings.Contains(stderr, want) {
		o.t.Errorf("%s: exit code %d, want a refusal with %q\n%s%s", line, code, want, stdout, stderr)
	}
}

// trusted is the trust state of a scanner with that home folder.
type trusted struct {
	RootVersion, TrustVersion uint64
	StatusAsOf                time.Time
	Issuers, Keys             int
	LastError                 string
}

func (o *operator) trust(home string) (v trusted) {
	o.t.Helper()
	if err := json.Unmarshal([]byte(o.run("tcode-scan --json --home "+home+" trust show")), &v); err != nil {
		o.t.Fatal(err)
	}
	return v
}

// TestCeremonyPage runs every command of the operators' page, in its order,
// with the real programs, while a gateway serves.
func TestCeremonyPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(world.Path("server/ceremony/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	o := newOperator(t)
	o.run("tcode-scan enrol --gateway " + o.url)
	o.run("tcode-scan trust export first.export")
	o.run("tcode-scan --home offline-scanner trust import first.export")
	if said := o.run("tcode-gateway root show"); !strings.Contains(said, "is sealed on this gateway") {
		t.Errorf("root show does not say what a sealed root key means:\n%s", said)
	}
	commands := 0
	for line := range strings.Lines(string(page)) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			o.run(o.typed(strings.TrimSpace(command)))
			commands++
		}
	}
	if commands < 35 {
		t.Errorf("%d commands on the page, want at least 35", commands)
	}
	if said := o.run("tcode-gateway root show"); strings.Contains(said, "is sealed") || !strings.Contains(said, "3 of 3 keys") {
		t.Errorf("root show at the end:\n%s", said)
	}
	if v := o.trust("scanner"); v.RootVersion != 6 || v.Issuers != 1 || v.LastError != "" {
		t.Errorf("the scanner holds %+v", v)
	}
	if v := o.trust("offline-scanner"); v.RootVersion != 4 || v.Issuers != 1 {
		t.Errorf("the offline scanner holds %+v", v)
	}
	o.refused("tcode-gateway online-key rotate", "cannot sign the root alone")
	// The restored gateway continues where the lost one ended.
	o.env = append(o.env, "TCODE_DATA="+filepath.Join(o.dir, "restored"))
	o.serve("127.0.0.1:0")
	before := o.trust("scanner")
	o.run("tcode-scan trust refresh --gateway " + o.url)
	if v := o.trust("scanner"); v.RootVersion != 7 || v.Issuers != 1 || v.StatusAsOf.Before(before.StatusAsOf) {
		t.Errorf("after the restore the scanner holds %+v, before it %+v", v, before)
	}
}
