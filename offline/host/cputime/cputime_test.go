package cputime_test

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"tcode/offline/host/cputime"
)

// TestMain is also the program that TestProcess starts: it works until its standard input ends.
func TestMain(m *testing.M) {
	if os.Getenv("CPUTIME_WORKS") != "" {
		go func() {
			for {
				work(1 << 20)
			}
		}()
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var sink int

func work(steps int) {
	for i := range steps {
		sink += i * i
	}
}

// TestThread: the clock runs while this thread works and stands while it sleeps.
func TestThread(t *testing.T) {
	t.Parallel()
	switch runtime.GOOS {
	case "linux", "darwin", "freebsd", "windows":
	default:
		t.Skip("this system has no such clock")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const least = 50 * time.Millisecond
	start := cputime.Thread()
	for cputime.Thread()-start < least { // ends only if the clock runs
		work(1 << 10)
	}
	start = cputime.Thread()
	time.Sleep(10 * least)
	if used := cputime.Thread() - start; used >= 10*least {
		t.Errorf("%v of sleep count as %v of work", 10*least, used)
	}
}

// TestProcess: the clock of another process runs while that works, and there is none when it has ended.
func TestProcess(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "CPUTIME_WORKS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, known := cputime.Process(cmd.Process)
	if want := runtime.GOOS == "linux" || runtime.GOOS == "windows"; known != want {
		t.Errorf("known = %v, want %v", known, want)
	}
	for known {
		if used, ok := cputime.Process(cmd.Process); !ok || used > 50*time.Millisecond {
			break
		}
		time.Sleep(time.Millisecond)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if known && cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime() < 50*time.Millisecond {
		t.Errorf("the clock said more than 50 ms, the process used %v", cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	if used, ok := cputime.Process(cmd.Process); ok {
		t.Errorf("an ended process has used %v", used)
	}
}
