package opstest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/issue/stamp"
	"tcode/server/platform/blob"
	"tcode/server/platform/blob/blobtest"
	"tcode/server/store"
)

// A bucketWorld is three gateways in processes of their own, on one PostgreSQL and one S3
// server, and a process that sweeps; each is killed and started again.
type bucketWorld struct {
	t      *testing.T
	bucket string
	rigs   []*harness.Rig

	mu    sync.Mutex // guards all
	urls  []string   // of the gateways
	cmds  []*exec.Cmd
	sweep *exec.Cmd
}

// start starts process i: a gateway, or, after the last, the sweep.
func (w *bucketWorld) start(i int) {
	env := []string{harness.BlobEnv + "=" + w.bucket, harness.HoldEnv + "=1s"}
	if i == len(w.rigs) {
		cmd := w.rigs[0].Process(append(env, harness.SweepEnv+"=1")...)
		w.mu.Lock()
		w.sweep = cmd
		w.mu.Unlock()
		return
	}
	cmd, r := w.rigs[i].Gateway(env...)
	w.mu.Lock()
	w.cmds[i], w.urls[i] = cmd, r.URL
	w.mu.Unlock()
}

// kill kills process i and starts it again.
func (w *bucketWorld) kill(i int) {
	w.mu.Lock()
	cmd := w.sweep
	if i < len(w.cmds) {
		cmd = w.cmds[i]
	}
	w.mu.Unlock()
	must(w.t, cmd.Process.Kill())
	cmd.Wait() //nolint:errcheck // it was killed
	w.start(i)
}

// stamp orders a stamp of any gateway until one confirms it, and returns whether it did.
func (w *bucketWorld) stamp(ctx context.Context, key, external string) bool {
	body := harness.StampBody(external, "externalId", external)
	for ctx.Err() == nil {
		w.mu.Lock()
		at := harness.Rig{T: w.t, URL: w.urls[rand.IntN(len(w.urls))]}
		w.mu.Unlock()
		a, err := at.Try(harness.Request{Method: http.MethodPost, Path: "/v1/tcode/stamps", Key: key, Body: body})
		switch {
		case err != nil, a.StatusCode >= 500:
			time.Sleep(10 * time.Millisecond)
		case a.StatusCode == http.StatusCreated, a.StatusCode == http.StatusConflict:
			return true // a conflict is with an earlier try, whose answer was lost
		default:
			w.t.Errorf("%s: %d %s", external, a.StatusCode, a.Raw)
			return false
		}
	}
	return false
}

// TestKilledOnS3: three gateways that share no folder are killed, and so is the sweep that
// races their puts. Every confirmed stamp is there, once, with its files.
// TCODE_S3_KILLS is the number of kills.
//
//engine:sqlite it is on PostgreSQL, whatever the engine of the run is
func TestKilledOnS3(t *testing.T) {
	t.Parallel()
	kills := often(t, "TCODE_S3_KILLS", 3)
	w := &bucketWorld{t: t, bucket: blobtest.S3(t).URL}
	w.rigs = folders(t, 3, w.bucket)
	w.urls, w.cmds = make([]string, 3), make([]*exec.Cmd, 3)
	key := w.rigs[0].Tenant("ACME01")
	for i := range 4 {
		w.start(i)
	}
	files, err := blob.OpenURL(t.Context(), w.bucket)
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var stampers sync.WaitGroup
	var confirmed, tried atomic.Int64
	for n := range 4 {
		stampers.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				external := fmt.Sprintf("%d-%d", n, i)
				if i%2 == 0 { // the gateway will find the document, unless the sweep is faster
					if _, err := files.Put(ctx, harness.PDF(external)); err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}
				tried.Add(1)
				if w.stamp(t.Context(), key, external) { // not ctx: each order is brought to its end
					confirmed.Add(1)
				}
			}
		})
	}
	for k := range kills {
		for from := confirmed.Load(); confirmed.Load() < from+5; {
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
		w.kill(k % 4)
	}
	stop()
	stampers.Wait()

	must(t, w.sweep.Process.Kill())
	w.sweep.Wait() //nolint:errcheck // it was killed
	page, err := w.rigs[0].Admin.Stamps.List(t.Context(), "ACME01", stamp.Filter{PageSize: 1})
	if err != nil || int64(page.TotalCount) != confirmed.Load() || confirmed.Load() != tried.Load() {
		t.Errorf("%d stamps, %v; %d of %d orders were confirmed", page.TotalCount, err, confirmed.Load(), tried.Load())
	}
	_, err = rawOf(t, w.rigs[0]).Exec(`UPDATE condemned_files SET at = at - 120000`) // so that the last sweep takes all
	must(t, err)
	for pass := 1; pass <= 2; pass++ {
		r, err := w.rigs[0].Admin.Fsck(t.Context(), server.FsckOptions{Sweep: time.Now().Add(time.Hour)}, func(p store.Problem) { t.Errorf("fsck: %+v", p) })
		if err != nil || r.Orphans > 0 || r.Files != 2*page.TotalCount {
			t.Errorf("pass %d of fsck: %+v, %v", pass, r, err)
		}
		t.Logf("pass %d of fsck: %d files named, %d swept, %d problems", pass, r.Files, r.Swept, r.Problems)
	}
	var again int
	must(t, rawOf(t, w.rigs[0]).QueryRow(`SELECT count(*) FROM condemned_files WHERE EXISTS (SELECT 1 FROM stamp_files f WHERE f.sha256 = condemned_files.sha256)`).Scan(&again))
	t.Logf("%d stamps confirmed, %d kills; %d files were put again after a sweep had removed them", confirmed.Load(), kills, again)
}
