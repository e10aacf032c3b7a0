package browsers

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"sync"
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
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles, cmd.Stderr = []*os.File{w}, log
	err = cmd.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(end)
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		end()
		t.Fatalf("start of Xvfb: %v\n%s", err, log)
	}
	return ":" + strings.TrimSpace(number)
}
