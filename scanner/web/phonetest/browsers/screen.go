package browsers

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// screen starts an X server in memory that ends with t, and returns its name.
func screen(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	log := &strings.Builder{}
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "390x844x24", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles, cmd.Stderr = []*os.File{w}, log
	err = cmd.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil && err != io.EOF || strings.TrimSpace(number) == "" {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("start of Xvfb: %v\n%s", err, log)
	}
	return ":" + strings.TrimSpace(number)
}
