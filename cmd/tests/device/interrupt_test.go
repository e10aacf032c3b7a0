package device_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"tcode/cmd/internal/world"
)

// TestInterruptedVerify: an interrupted run over many documents prints its
// results so far.
func TestInterruptedVerify(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"--home", filepath.Join(dir, "home"), "verify", "--jobs", "1"}
	for i := range 40 {
		name := filepath.Join(dir, string(rune('A'+i))+".pdf")
		if err := os.WriteFile(name, world.Document(t, "diploma.pdf"), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	cmd := exec.Command(world.Program(t, "tcode-scan"), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_, _ = lines.WriteTo(new(bytes.Buffer))
	if code := world.ExitCode(t, cmd.Wait()); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
	if !regexp.MustCompile(`(?m)^40 documents: 0 valid, [1-9][0-9]* not, [1-9][0-9]* were not looked at$`).Match(stderr.Bytes()) {
		t.Errorf("standard error:\n%s", stderr.String())
	}
}
