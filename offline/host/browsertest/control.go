//go:build !js

package browsertest

import (
	"context"
	"os"
	"testing"

	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
)

// Profile returns the folder in which Chromium keeps what the program stores. Between runs a test may change it.
func (p *Program) Profile() string { return p.profile }

// InMemory moves the profile to a disk in memory, if the system has one, for tests that make thousands of commits. A kill of
// Chromium loses nothing of it. Call it before the first run.
func (p *Program) InMemory(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "tcode-browser-")
	if err != nil {
		return
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p.profile = dir
}

// Kill kills Chromium while the program goes on, as OnLine does while it waits. The run ends as killed. It may be called in another
// goroutine, such as in Handler.
func (p *Program) Kill() {
	if now := p.current(); now != nil {
		now.cut()
	}
}

// SetQuota limits the bytes that the program can store, until the end of the run. It may be called in OnLine and Handler.
func (p *Program) SetQuota(bytes float64) error {
	_, err := chromedp.Call(p.current().context(), storage.OverrideQuotaForOrigin,
		storage.OverrideQuotaForOriginParams{Origin: p.url, QuotaSize: &bytes})
	return err
}

func (r *run) began(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ctx = ctx
}

func (r *run) context() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ctx
}
