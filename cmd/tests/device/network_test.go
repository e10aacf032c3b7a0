package device_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// TestNoNetwork: verifying needs no network and does not try to use one.
func TestNoNetwork(t *testing.T) {
	w := world.New(t, 1)
	w.Scanner("home").Close()
	var files []string
	for i, name := range []string{"genuine.pdf", "changed.pdf"} {
		p := w.Stamp(w.Issuers[0], name, world.SmallPDF(i))
		if name == "changed.pdf" {
			p.PDF[len("%PDF-1.")] ^= 1
		}
		files = append(files, w.File(name, p.PDF))
	}
	w.Down()
	scan := world.Program(t, "tcode-scan")
	args := append([]string{scan, "--home", filepath.Join(w.Dir, "home"), "--json", "verify"},
		files...)

	here := verdicts(t, args)
	if want := []string{"valid", "not_found"}; strings.Join(here, " ") != strings.Join(want, " ") {
		t.Fatalf("verdicts %v, want %v", here, want)
	}
	t.Run("in a namespace without network", func(t *testing.T) {
		without := []string{world.Need(t, "unshare"), "--net"}
		if os.Geteuid() != 0 {
			without = append(without, "--map-root-user") // the rights of root without a user namespace, which a chroot refuses
		}
		there := verdicts(t, append(without, args...))
		if strings.Join(here, " ") != strings.Join(there, " ") {
			t.Errorf("verdicts %v without network, %v with", there, here)
		}
	})
	t.Run("no socket that could reach out", func(t *testing.T) {
		strace := world.Need(t, "strace")
		log := filepath.Join(w.Dir, "strace.log")
		verdicts(t, append([]string{strace, "-f", "-qq", "-e", "trace=execve,socket,socketpair,connect", "-o", log}, args...))
		trace, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		// Without the children in the log the test would prove nothing.
		if n := strings.Count(string(trace), "execve("); n < 2 {
			t.Fatalf("strace saw %d programs, want the parent and at least one child:\n%s", n, trace)
		}
		if at := regexp.MustCompile(`.*AF_(INET6?|NETLINK|PACKET).*`).FindString(string(trace)); at != "" {
			t.Errorf("a socket was made: %s", at)
		}
	})
}

// verdicts runs a verify command that prints JSON and returns its verdicts.
func verdicts(t *testing.T, args []string) []string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if code := world.ExitCode(t, err); code > 1 || len(out) == 0 {
		t.Fatalf("exit code %d, %d bytes out: %s", code, len(out), errs.String())
	}
	var words []string
	for line := range strings.Lines(string(out)) {
		var answer struct{ Verdict string }
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		words = append(words, answer.Verdict)
	}
	return words
}
