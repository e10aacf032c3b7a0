package bulkdesk_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"tcode/scanner/readback"
	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/store/storetest"
)

// A line passes connections on to a gateway, until it is cut.
type line struct {
	net.Listener
	to string

	mu    sync.Mutex // guards the rest
	cut   bool
	conns map[net.Conn]bool
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	harness.Must(t, err)
	n := &line{Listener: l, to: strings.TrimPrefix(to, "http://"), conns: map[net.Conn]bool{}}
	t.Cleanup(func() { l.Close(); n.set(true) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go n.serve(c)
		}
	}()
	return n
}

// serve passes one connection on.
func (n *line) serve(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", n.to)
	if err != nil {
		return
	}
	defer to.Close()
	n.mu.Lock()
	ok := !n.cut
	n.conns[from], n.conns[to] = ok, ok
	n.mu.Unlock()
	if !ok {
		return
	}
	go func() { _, _ = io.Copy(to, from); to.Close() }()
	_, _ = io.Copy(from, to)
}

// set cuts the line, or lets it work again.
func (n *line) set(cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = cut
	if cut {
		for c := range n.conns {
			c.Close()
		}
		clear(n.conns)
	}
}

// A halted reader reads the first stamps back, and the others once it is let go, so that a job
// lasts as long as a test looks at it.
type halted struct {
	storetest.Readback
	first int32 // stamps that do not wait
	read  atomic.Int32
	goOn  chan struct{} // closed: none waits
}

func (h *halted) Read(ctx context.Context, pdf *io.SectionReader, q readback.Request) ([]readback.Reading, error) {
	if h.read.Add(1) > h.first {
		select {
		case <-h.goOn:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return h.Readback.Read(ctx, pdf, q)
}

// choose chooses files of the form.
func choose(s *consoletest.Screen, csv, archive string) {
	s.T.Helper()
	s.Do(chromedp.SetUploadFiles(chromedp.ID("csv"), []string{csv}), chromedp.SetUploadFiles(chromedp.ID("zip"), []string{archive}))
}

// click clicks a button, as a person does.
func click(s *consoletest.Screen, selector string) {
	s.T.Helper()
	consoletest.Eval[bool](s, fmt.Sprintf(`document.querySelector(%q).click(), true`, selector))
}

// TestDesk: a person checks files, corrects them, orders, loses the line in the middle,
// reloads, and sees the end; another gateway cancels and retries.
//
//engine:sqlite the screens are the same on both
func TestDesk(t *testing.T) {
	t.Parallel()
	reader := &halted{first: 20, goOn: make(chan struct{})}
	goOn := sync.OnceFunc(func() { close(reader.goOn) })
	defer goOn()
	w := consoletest.NewWorld(t, func(c *server.Config) { c.Readback = reader })
	wire := newLine(t, w.URL)
	rig := *w.Rig
	rig.URL = "http://" + wire.Addr().String()
	s := consoletest.Open(t, &consoletest.World{Rig: &rig, Clock: w.Clock})
	b := s.As(consoletest.Ruth(account.Issuer))
	dir := t.TempDir()
	file := func(name, text string) string {
		at := filepath.Join(dir, name)
		harness.Must(t, os.WriteFile(at, []byte(text), 0o600))
		return at
	}
	const n = 60
	good, archive := rows(t, n, "row")
	archivePath, goodPath := file("pdfs.zip", string(archive)), file("rows.csv", good)
	badPath := file("bad.csv", strings.Replace(strings.Replace(good, "7.pdf", "77.pdf", 1), "DIP", "XXX", 2))

	s.At("/console/bulk")
	s.Is("/console/bulk", "Bulk jobs")
	s.Look("bulk-empty")
	s.At("/console/bulk/new")
	s.Is("/console/bulk/new", "New bulk job")
	s.Look("bulk-new")

	// A refused order keeps what was typed and chosen.
	s.Do(chromedp.SendKeys(chromedp.ID("name"), strings.Repeat("n", 200)))
	consoletest.Eval[bool](s, `document.getElementById('name').maxLength = 999, document.getElementById('name').value += 'x', true`)
	choose(s, badPath, archivePath)
	click(s, `[value=check]`)
	s.Until(`!!document.querySelector('[data-problem=name] .wrong')`)
	s.Look("bulk-refused")
	s.Forgive()
	consoletest.Eval[bool](s, `document.getElementById('name').value = 'Diplomas <b>', true`)

	// The check finds the line and the column of each problem.
	click(s, `[value=check]`)
	s.Until(`location.pathname.startsWith('/console/bulk/jobs/') && !!document.querySelector('#problems-h')`)
	if got := consoletest.Eval[string](s, `[...document.querySelectorAll('[aria-labelledby=problems-h] tbody tr')].map(r => [...r.cells].slice(0, 3).map(c => c.textContent).join(' ')).join()`); got != "2 documentTypeCode XXX,3 documentTypeCode XXX,9 fileName 77.pdf" {
		t.Errorf("problems: %s", got)
	}
	s.Look("bulk-problems")
	bad := consoletest.Eval[string](s, `location.pathname`)

	// Good files are ordered without being sent again.
	s.At(consoletest.Eval[string](s, `document.querySelector('a[href^="/console/bulk/new"]').getAttribute('href')`))
	choose(s, goodPath, archivePath)
	click(s, `[value=check]`)
	s.Until(`!!document.querySelector('form[action$="/proceed"]')`)
	s.Look("bulk-checked")
	s.Quiet()
	s.Press(`form[action$="/proceed"] button`)
	path := consoletest.Eval[string](s, `location.pathname`)
	s.Until(`Number(document.querySelector('[data-live]').dataset.done) > 0`)

	// The line is lost, and comes back; nothing is missed.
	before := consoletest.Eval[int](s, `Number(document.querySelector('[data-live]').dataset.done)`)
	wire.set(true)
	s.Until(`!document.getElementById('lost').hidden`)
	s.Look("bulk-lost")
	wire.set(false)
	s.Forgive()
	click(s, `#now`)
	s.Until(`document.getElementById('lost').hidden && !document.getElementById('live').hidden`)

	// A page that is loaded again shows the last state immediately.
	s.At(path)
	if after := consoletest.Eval[int](s, `document.querySelector('progress').value`); after < before {
		t.Errorf("after reloading %d rows, before %d", after, before)
	}
	goOn()
	s.Until(`document.querySelector('.status')?.textContent === 'All is done.'`)
	s.Look("bulk-done")
	j := jobOf(t, w, path)
	if j.Status != bulk.Completed || j.Counts.Succeeded != n || j.Name != "rows.csv" || !strings.HasPrefix(j.By, "user:") || j.Checked == "" {
		t.Errorf("the job is %+v", j)
	}
	if r := b.Want(path+"/results.zip", nil, http.StatusOK, ""); !strings.HasPrefix(r.Text, "PK") || strings.Count(r.Text, ".pdf") < n {
		t.Errorf("results.zip: %d bytes", len(r.Text))
	}
	s.At("/console/bulk")
	s.Look("bulk-list")
	s.Language("ar")
	s.At(path)
	s.Look("bulk-done-ar")
	s.At(bad)
	s.Look("bulk-problems-ar")
	s.Quiet()
}

// jobOf returns the job of a path.
func jobOf(t *testing.T, w *consoletest.World, path string) bulk.Job {
	t.Helper()
	j, err := w.Admin.Bulk.Find(t.Context(), w.Identity("ACME01"), filepath.Base(path))
	harness.Must(t, err)
	return j
}
