package durable

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// A HeldError means that another process holds a file, by [Hold].
type HeldError struct {
	PID   int       // of that process; zero: it is not known
	Host  string    // where it runs, which may be another one if the file system is shared
	Since time.Time // zero: not known
}

func (e *HeldError) Error() string {
	if e.PID == 0 {
		return "another process holds the file"
	}
	return fmt.Sprintf("process %d on %s holds the file, since %s", e.PID, e.Host, e.Since.Format(time.RFC3339))
}

// maxHolder is the size of the line in a held file, in bytes.
const maxHolder = 512

// Hold makes path a file that this process alone holds, and writes into it which process
// that is. release ends the hold, and so does the end of the process, in whatever way; the file
// remains, empty or not. The error is a [*HeldError] if another process holds it, and
// [errors.ErrUnsupported] if the file system has no locks.
func Hold(path string, now time.Time) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		if errors.Is(err, ErrLocked) {
			err = holder(f)
		}
		return nil, errors.Join(err, f.Close())
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "unknown"
	}
	// The line is for people. Without it, on a full disk, the lock still holds.
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(fmt.Appendf(nil, "%d %s %s\n", os.Getpid(), strings.Join(strings.Fields(host), "-"), now.UTC().Format(time.RFC3339)), 0)
	}
	return func() error {
		_ = f.Truncate(0)
		return f.Close()
	}, nil
}

// holder reads which process holds f.
func holder(f *os.File) error {
	e := &HeldError{}
	raw, err := io.ReadAll(io.LimitReader(f, maxHolder))
	words := strings.Fields(string(raw))
	if err != nil || len(words) != 3 {
		return e
	}
	pid, err := strconv.Atoi(words[0])
	since, terr := time.Parse(time.RFC3339, words[2])
	if err == nil && terr == nil {
		*e = HeldError{pid, words[1], since}
	}
	return e
}
