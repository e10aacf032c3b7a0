package containtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestFolder: the folder is gone after the end of the process that made it, also if it was killed.
func TestFolder(t *testing.T) {
	if os.Getenv("CONTAINTEST_FOLDER") != "" {
		dir, end, err := folder()
		if err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString(dir + "\n")
		time.Sleep(time.Minute)
		end.Close()
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestFolder")
	cmd.Env = append(os.Environ(), "CONTAINTEST_FOLDER=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 1000)
	n, _ := out.Read(line)
	dir := strings.TrimSpace(string(line[:n]))
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	cmd.Wait() //nolint:errcheck // it was killed
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(dir); os.IsNotExist(err) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s stays", dir)
		}
	}
}
