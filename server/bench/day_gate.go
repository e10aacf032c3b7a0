package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"tcode/server/platform/keyring"
)

// A gate is a gateway of a day: a process that is killed, frozen and started again.
type gate struct {
	name, program, data, database, cache string
	bucket, keyset                       string // if files are on S3

	mu  sync.Mutex
	cmd *exec.Cmd
	url string // empty while no load balancer would send requests to it
}

// start starts the process and waits until it serves.
func (g *gate) start(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, g.program, "serve", "--json", "--log-level", "error", "--addr", "127.0.0.1:0", "--requests-per-minute", "0", "--lookups-per-minute", "0", //nolint:gosec // built by us
		"--key-lookups-per-minute", "0", "--webhooks-allow-private", "--data", g.data, "--database-url", g.database, "--cache", g.cache)
	cmd.Env, cmd.Stderr = g.env(), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.mu.Lock()
	g.cmd = cmd
	g.mu.Unlock()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s did not start: %w", g.name, err)
	}
	go io.Copy(io.Discard, out) //nolint:errcheck // it ends with the process
	var ready struct{ URL string }
	if err := json.Unmarshal(line, &ready); err != nil {
		return fmt.Errorf("%s: %w", g.name, err)
	}
	g.balance(ready.URL)
	return nil
}

// env is the environment of the process, and of an operator's command.
func (g *gate) env() []string {
	if g.bucket == "" {
		return os.Environ()
	}
	return append(os.Environ(), "TCODE_BLOB_URL="+g.bucket, keyring.EnvName+"="+g.keyset)
}

// balance sets the address that clients use; empty: they use others.
func (g *gate) balance(url string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.url = url
}

func (g *gate) address() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.url
}

func (g *gate) signal(s syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = g.cmd.Process.Signal(s) // it may have ended already
}

// kill ends the process as a power cut does.
func (g *gate) kill() {
	g.balance("")
	g.signal(syscall.SIGKILL)
	_ = g.cmd.Wait() // it was killed
}

// end ends the process.
func (g *gate) end() {
	g.mu.Lock()
	cmd := g.cmd
	g.mu.Unlock()
	if cmd == nil || cmd.ProcessState != nil {
		return
	}
	_ = cmd.Process.Signal(syscall.SIGCONT)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	_ = cmd.Wait() // its exit status does not matter, because it was told to end
}

// patience is the time in which a request must get done, and oneTry that of a try.
const (
	patience = time.Minute
	oneTry   = 5 * time.Second
)

// errRefused means that a gateway answered that the request is wrong.
var errRefused = errors.New("refused")

// do sends a request until a gateway has done it, each time to another that serves, as
// clients behind a load balancer do.
func (d *day) do(ctx context.Context, method, path string, body []byte, into any, header ...string) (err error) {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		url := d.gates[rand.IntN(len(d.gates))].address() //nolint:gosec // for load, not for secrets
		if url != "" {
			if err = d.try(ctx, method, url+path, body, into, header...); err == nil || errors.Is(err, errRefused) {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("not done in %v: %w", patience, err)
}

func (d *day) try(ctx context.Context, method, url string, body []byte, into any, header ...string) error {
	ctx, cancel := context.WithTimeout(ctx, oneTry)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	switch {
	case res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusConflict && bytes.Contains(raw, []byte("IDEMPOTENCY")):
		return fmt.Errorf("answered %s: %.200s", res.Status, raw)
	case res.StatusCode >= 300:
		return fmt.Errorf("%w: %s: %.300s", errRefused, res.Status, raw)
	case into == nil:
		return nil
	}
	return json.Unmarshal(raw, into)
}
