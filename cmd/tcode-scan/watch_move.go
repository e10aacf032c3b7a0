package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/sync/outbox"
)

// move sorts a file below --move. Another program may change a file at any time, also one that
// it has open while the file has another name. So the bytes that were judged are written to a new
// file, which no other program has open, and the judged file is removed. A file that changed meanwhile
// stays, and is judged again. One that cannot be moved stays, and the log names it.
func (w *watch) move(file outbox.WatchedFile) {
	if w.Move == "" || file.Outcome == watchInterrupted {
		return
	}
	dir := filepath.Join(w.Move, file.Outcome)
	err := os.MkdirAll(dir, 0o700)
	switch {
	case err != nil:
	case len(file.Digest) == 0: // it could not be read
		err = free(dir, file.Path, func(to string) error { return cli.Rename(file.Path, to) })
	default:
		err = moveJudged(file, dir)
	}
	if err != nil {
		fmt.Fprintf(w.app.std.Err, "tcode-scan: %s stays where it is: %s\n",
			escapePath(file.Path), cli.Printable(err.Error()))
	}
}

// errChanged says that a file has other bytes than those that were judged.
var errChanged = errors.New("it changed while it was judged, so it will be judged again")

func moveJudged(file outbox.WatchedFile, dir string) error {
	data, err := readFile(context.Background(), nil, file.Path)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(data); !bytes.Equal(sum[:], file.Digest) {
		return errChanged
	}
	info, err := os.Stat(file.Path)
	if err != nil {
		return err
	}
	if err := keep(dir, file.Path, data, info); err != nil {
		return err
	}
	return removeJudged(file)
}

// keep writes data to a file in dir with the name of path, or one like it, and with mode and time
// of info. After an interruption the file may be there.
func keep(dir, path string, data []byte, info fs.FileInfo) error {
	sum := sha256.Sum256(data)
	done := errors.New("done")
	err := free(dir, path, func(to string) error {
		err := cli.WriteFile(to, false, func(f io.Writer) error {
			_, err := f.Write(data)
			return err
		})
		if err != nil {
			return err
		}
		return errors.Join(os.Chmod(to, info.Mode().Perm()), os.Chtimes(to, time.Time{}, info.ModTime()))
	}, func(to string) error {
		if holds(to, sum[:]) {
			return done
		}
		return nil
	})
	if errors.Is(err, done) {
		return nil
	}
	return err
}

// Names of files that were taken away begin so, and with random digits, before their own names.
const (
	takenPrefix = ".tcode-taken-"
	takenDigits = 8
)

// putBack gives the files their names again that a run took away which was killed then.
func putBack(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		name, ours := strings.CutPrefix(e.Name(), takenPrefix)
		if !ours || len(name) <= takenDigits+1 {
			continue
		}
		err = errors.Join(err, free(dir, name[takenDigits+1:], func(to string) error {
			return cli.Rename(filepath.Join(dir, e.Name()), to)
		}))
	}
	return err
}

// removeJudged removes the file if it still has the bytes that were judged. It takes it away from
// its name first: what another program puts there meanwhile stays.
func removeJudged(file outbox.WatchedFile) error {
	taken := filepath.Join(filepath.Dir(file.Path),
		takenPrefix+rand.Text()[:takenDigits]+"-"+filepath.Base(file.Path))
	if err := cli.Rename(file.Path, taken); err != nil {
		return err
	}
	if holds(taken, file.Digest) {
		return os.Remove(taken)
	}
	err := free(filepath.Dir(file.Path), file.Path, func(to string) error {
		return cli.Rename(taken, to)
	})
	return errors.Join(errChanged, err)
}

// free calls do with the first path in dir that is not taken: NAME.pdf, NAME-2.pdf and so on. It
// calls taken with the others, whose error ends the search.
func free(dir, path string, do func(to string) error, taken ...func(to string) error) error {
	base, ext := filepath.Base(path), filepath.Ext(path)
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(base, ext), n, ext)
		}
		to := filepath.Join(dir, name)
		if _, missing := os.Lstat(to); missing != nil {
			return do(to)
		}
		for _, look := range taken {
			if err := look(to); err != nil {
				return err
			}
		}
	}
}

// holds reports whether a file has the bytes of this SHA-256 digest.
func holds(path string, digest []byte) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || len(digest) == 0 {
		return false
	}
	data, err := readFile(context.Background(), nil, path)
	sum := sha256.Sum256(data)
	return err == nil && bytes.Equal(sum[:], digest)
}
