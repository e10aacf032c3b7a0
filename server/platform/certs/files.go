package certs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"sync"
	"time"
)

// maxFile is the largest certificate or key file, in bytes.
const maxFile = 1 << 20

// files is a source that reads two files.
type files struct {
	c Config

	mu     sync.Mutex // guards all below
	pair   *tls.Certificate
	read   [sha256.Size]byte // of the contents of pair
	wrong  [sha256.Size]byte // of contents that are not good, when they were last seen
	logged bool              // the contents of wrong have been logged
	err    error             // of the last reading
}

// newFiles reads both files, which must be good.
func newFiles(c Config) (*files, error) {
	if c.Cert == "" || c.Key == "" {
		return nil, errors.New("a certificate needs its key, and a key its certificate")
	}
	f := &files{c: c}
	pair, sum, err := f.open()
	if err != nil {
		return nil, err
	}
	f.pair, f.read = pair, sum
	if info, err := os.Stat(c.Key); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
		c.Log.Warn("every user of this machine may use the TLS key: chmod 600 it", slog.String("file", c.Key))
	}
	return f, nil
}

// open reads both files. sum is set if err is not about reading.
func (f *files) open() (pair *tls.Certificate, sum [sha256.Size]byte, err error) {
	certPEM, err := readSmall(f.c.Cert)
	if err != nil {
		return nil, sum, err
	}
	keyPEM, err := readSmall(f.c.Key)
	if err != nil {
		return nil, sum, err
	}
	sum = sha256.Sum256(bytes.Join([][]byte{certPEM, keyPEM}, []byte{0}))
	if pair, err = checkPair(certPEM, keyPEM); err != nil {
		return nil, sum, fmt.Errorf("%s and %s: %w", f.c.Cert, f.c.Key, err)
	}
	return pair, sum, nil
}

// readSmall reads a file of at most maxFile bytes.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(raw) > maxFile {
		err = fmt.Errorf("%s: larger than %d bytes: not a certificate or key", path, maxFile)
	}
	return raw, err
}

func (f *files) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pair, nil
}

// look uses new contents of the files, if they are good and have not ended. A program that
// replaces the files one after the other leaves a moment in which they do not belong together: what is
// wrong at one periodic look is logged at the next.
func (f *files) look(ctx context.Context, told bool) {
	pair, sum, err := f.open()
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil && sum == f.read {
		f.err, f.wrong = nil, [sha256.Size]byte{}
		return
	}
	if now := f.c.Now(); err == nil && !now.Before(pair.Leaf.NotAfter) && now.Before(f.pair.Leaf.NotAfter) {
		err = fmt.Errorf("%s: the new certificate has ended at %s", f.c.Cert, pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	if err == nil {
		f.pair, f.read, f.err = pair, sum, nil
		f.c.Log.InfoContext(ctx, "the TLS certificate was read again", slog.Time("expires", pair.Leaf.NotAfter), slog.String("serial", fmt.Sprintf("%x", pair.Leaf.SerialNumber)))
		return
	}
	again := f.err != nil && f.wrong == sum
	if !again {
		f.wrong, f.logged = sum, false
	}
	f.err = err
	if told || again && !f.logged {
		f.logged = true
		f.c.Log.ErrorContext(ctx, "the TLS certificate was not read again, and the one before stays in use", slog.Any("err", err), slog.Time("expires", f.pair.Leaf.NotAfter))
	}
}

func (f *files) states() []State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return []State{{Source: "file", Begins: f.pair.Leaf.NotBefore, Expires: f.pair.Leaf.NotAfter, Err: f.err}}
}

func (f *files) protocols() []string { return []string{"h2", "http/1.1"} }

func (f *files) challenges(next http.Handler) http.Handler { return next }

func (f *files) close() {}
