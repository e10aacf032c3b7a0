package release_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"tcode/cmd/internal/world"
)

// masks replaces text that differs between runs.
var masks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "ID"},
	{regexp.MustCompile(`\bdev_[0-9a-z]{26}\b`), "DEVICE"},
	{regexp.MustCompile(`\bwhsec_\S+`), "SECRET"},
	{regexp.MustCompile(`\b(TCR|TRF)-[0-9A-Z]{16}\b`), "$1-REFERENCE"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z)?)?`), "TIME"},
	{regexp.MustCompile(`\bversion \d+`), "version N"},
	{regexp.MustCompile(`\b\d+ min\b`), "N s"}, // on a busy machine
	{regexp.MustCompile(`\b\d+(\.\d+)? ([kM]B|bytes|s|ms)\b`), "N $2"},
	{regexp.MustCompile(`\b[0-9a-f]{8,}(\.\.[0-9a-f]{8})?\b`), "HEX"},
	{regexp.MustCompile(`\bshard \d+, entry \d+`), "shard N, entry N"}, // drawn at random
	// Whether the publisher ran in the meantime depends on the clock.
	{regexp.MustCompile(` The stamp is newer than this status; .*`), ""},
	{regexp.MustCompile(`The engine that draws PDFs is being prepared\. .*`), ""},
	{regexp.MustCompile(`[ \t]+`), " "},
}

// masked returns text without variable parts and empty lines.
func masked(text string) string {
	for _, m := range masks {
		text = m.pattern.ReplaceAllString(text, m.with)
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// A console is a shell in its own folder, with the programs, and with addresses
// of this machine in place of those in the pages.
type console struct {
	t     *testing.T
	in    io.Writer
	lines chan string
	ours  *strings.Replacer // from the text of a page to the commands to run
	back  *strings.Replacer
	marks int
}

const consoleWait = 2 * time.Minute

// newConsole returns a shell. A prepared one has a serving gateway with the
// tenant ACME01 and $KEY, an enrolled scanner, and some files.
func newConsole(t *testing.T, prepared bool) *console {
	t.Helper()
	dir, programs := t.TempDir(), filepath.Dir(world.Program(t, "tcode-gateway"))
	if err := os.CopyFS(filepath.Join(dir, "testdata", "documents"),
		os.DirFS(world.Path("testdata/documents"))); err != nil {
		t.Fatal(err)
	}
	gateway, hooks := world.FreeAddress(t), hookReceiver(t)
	mail := mailServer(t, filepath.Join(dir, ".roots.pem"))
	c := &console{
		t: t, lines: make(chan string, 1000),
		ours: strings.NewReplacer("go build -o bin/ ./cmd/... && ", "", "PATH=$PWD/bin:$PATH", "PATH="+programs+":$PATH",
			"127.0.0.1:8080", gateway, "mail.acme.example:587", mail, "https://hooks.acme.example", hooks),
		back: strings.NewReplacer(gateway, "127.0.0.1:8080", mail, "mail.acme.example:587", hooks, "https://hooks.acme.example", dir, "/home/you"),
	}
	shell := exec.Command("bash", "--norc", "--noprofile")
	shell.Dir = dir
	shell.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "TCODE_ADDR="+gateway, "TCODE_LOG_LEVEL=error", "TCODE_WEBHOOKS_ALLOW_PRIVATE=true",
		"TCODE_HOME="+filepath.Join(dir, "scanner"), "SSL_CERT_FILE="+filepath.Join(dir, ".roots.pem"))
	in, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	shell.Stdout, shell.Stderr, c.in = childOut, childOut, in
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	childOut.Close()
	go func() {
		defer close(c.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			c.lines <- s.Text()
		}
	}()
	t.Cleanup(func() {
		fmt.Fprintln(in, "kill $(jobs -p); wait")
		in.Close()
		shell.Wait()
		out.Close()
	})
	if prepared {
		c.prepare(dir)
	}
	return c
}

func (c *console) prepare(dir string) {
	c.t.Helper()
	for name, from := range map[string]string{"letter.pdf": "letter.pdf", "diploma.pdf": "diploma.pdf"} {
		world.WriteFile(c.t, filepath.Join(dir, name),
			world.ReadFile(c.t, world.Path("testdata/documents/"+from)))
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	rows := "fileName;name;documentTypeCode;externalId\n"
	for i, name := range []string{"Zeugnis Müller.pdf", "Zeugnis Meier.pdf"} {
		f, err := z.Create(name)
		if err != nil {
			c.t.Fatal(err)
		}
		if _, err := f.Write(world.Document(c.t, "diploma.pdf")); err != nil {
			c.t.Fatal(err)
		}
		rows += fmt.Sprintf("%s;Diploma of %s;DIP;D-2026-%04d\n", name, strings.TrimSuffix(name, ".pdf"), i+1)
	}
	if err := z.Close(); err != nil {
		c.t.Fatal(err)
	}
	world.WriteFile(c.t, filepath.Join(dir, "pdfs.zip"), archive.Bytes())
	world.WriteFile(c.t, filepath.Join(dir, "rows.csv"), []byte(rows))
	for _, command := range []string{
		"PATH=$PWD/bin:$PATH",
		"tcode-gateway init",
		`tcode-gateway tenant create --name "Acme University" --reference ACME01`,
		"KEY=$(tcode-gateway key create --tenant ACME01 --name office)",
		"tcode-gateway serve &",
		"export TCODE_API_KEY=$KEY TCODE_GATEWAY=http://127.0.0.1:8080",
		"tcode stamp diploma.pdf --type DIP -o stamped.pdf && tcode stamp letter.pdf --type LTR -o revoked.pdf",
		"tcode-scan enrol --gateway http://127.0.0.1:8080",
		"tcode revoke $(tcode verify revoked.pdf --json | sed 's/.*\"reference\":\"\\([^\"]*\\).*/\\1/')",
		"unset TCODE_API_KEY TCODE_GATEWAY",
	} {
		background := strings.HasSuffix(command, "&")
		if !background {
			command += ` || echo "ended with status $?"`
		}
		got := c.run(consoleCommand{text: "$ " + command + "\n"})
		if strings.Contains(got, "ended with status") || background && !strings.Contains(got, "http://127.0.0.1:8080") {
			c.t.Fatalf("$ %s\n%s", command, got)
		}
	}
}

// run types a command and returns its output. For a command that continues to
// run it returns as many lines as the page shows, at least one.
func (c *console) run(command consoleCommand) (output string) {
	c.t.Helper()
	c.marks++
	mark := fmt.Sprintf("@@ end of command %d", c.marks)
	if _, err := io.WriteString(c.in, c.ours.Replace(command.input())+"echo; echo '"+mark+"'\n"); err != nil {
		c.t.Fatal(err)
	}
	minimum := 0
	if command.background() {
		minimum = 1 + strings.Count(masked(command.output), "\n")
	}
	for ended, deadline := false, time.After(consoleWait); !ended || strings.Count(output, "\n") < minimum; {
		select {
		case line, ok := <-c.lines:
			switch {
			case !ok:
				c.t.Fatalf("the shell has ended at %s", command.text)
			case line == mark:
				ended = true
			case line != "":
				output += c.back.Replace(line) + "\n"
			}
		case <-deadline:
			c.t.Fatalf("%s has not ended after %v:\n%s", command.text, consoleWait, output)
		}
	}
	return output
}

func hookReceiver(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(s.Close)
	return s.URL
}

// mailServer accepts every message. It writes its certificate to a file.
func mailServer(t *testing.T, roots string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	lender := httptest.NewTLSServer(nil) // lends a certificate for 127.0.0.1
	lender.Close()
	world.WriteFile(t, roots, pem.EncodeToMemory(&pem.Block{
		Type:  "CERTIFICATE",
		Bytes: lender.Certificate().Raw,
	}))
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return taken{}, nil }))
	s.TLSConfig = lender.TLS
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return l.Addr().String()
}

// taken is a session of mailServer.
type taken struct{}

func (taken) Reset()                               {}
func (taken) Logout() error                        { return nil }
func (taken) Mail(string, *smtp.MailOptions) error { return nil }
func (taken) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (taken) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}
