package gate

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tcode/server/fault"
	"tcode/sync/wire"
)

// TestQueue: no more requests than places run concurrently, each request gets a
// place, and a request whose client leaves takes none.
func TestQueue(t *testing.T) {
	t.Parallel()
	q := NewSlots(2, time.Minute, Busy)
	var working, most, done atomic.Int64
	var group sync.WaitGroup
	for i := range 50 {
		client := fmt.Sprint("client ", i%7)
		group.Go(func() {
			release, err := q.Take(t.Context(), client, 0)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			n := working.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			done.Add(1)
			working.Add(-1)
		})
	}
	group.Wait()
	if most.Load() > 2 || done.Load() != 50 {
		t.Errorf("%d concurrently, %d done", most.Load(), done.Load())
	}
	for i := range 2 {
		if _, err := q.Take(t.Context(), fmt.Sprint("client ", i), 0); err != nil {
			t.Fatal(err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Take(gone, "gone", 0); err == nil {
		t.Error("a request that is gone got a place that there is not")
	}
}

// TestBatchWaitsPacked: a batch that waits for its place is still packed, and the
// limit applies to the unpacked batch.
func TestBatchWaitsPacked(t *testing.T) {
	t.Parallel()
	zipped := func(n int) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	plain := []byte(`{"items":[]}`)
	for name, c := range map[string]struct {
		sent     []byte
		encoding string
		unpacked int
		early    fault.Kind // before it has a place
		late     fault.Kind
	}{
		"packed":            {sent: zipped(5000), encoding: "gzip", unpacked: 5000},
		"nothing, packed":   {encoding: "gzip"},
		"as it is":          {sent: plain, unpacked: len(plain)},
		"too long":          {sent: make([]byte, wire.MaxBodyBytes+1), early: fault.TooLarge},
		"too long unpacked": {sent: zipped(wire.MaxBodyBytes + 1), encoding: "gzip", late: fault.TooLarge},
		"no gzip":           {sent: plain, encoding: "gzip", late: fault.Invalid},
		"another encoding":  {sent: plain, encoding: "br", early: fault.UnsupportedMedia},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", wire.Path, bytes.NewReader(c.sent))
		r.Header.Set("Content-Encoding", c.encoding)
		call := &Call{op: &operation{Route: Route{Packed: wire.MaxBodyBytes}}}
		_, err := new(Gate).readBody(httptest.NewRecorder(), r, call)
		if c.early != 0 {
			if !fault.Is(err, c.early) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || !bytes.Equal(call.Body, c.sent) {
			t.Errorf("%s: %d bytes wait, %d were sent: %v", name, len(call.Body), len(c.sent), err)
			continue
		}
		body, err := call.Unpack(call.Body)
		if c.late != 0 {
			if !fault.Is(err, c.late) {
				t.Errorf("%s: %v", name, err)
			}
		} else if err != nil || len(body) != c.unpacked {
			t.Errorf("%s: %d bytes, %v", name, len(body), err)
		}
	}
}

// A promise is a body of which nothing arrives; it notes the room that it was asked to fill.
type promise struct{ room int }

func (p *promise) Read(b []byte) (int, error) {
	p.room = max(p.room, len(b))
	return 0, io.ErrUnexpectedEOF
}

// TestPromisedBody: a body takes as much memory as arrives of it, whatever length the client
// promises.
func TestPromisedBody(t *testing.T) {
	t.Parallel()
	var p promise
	r := httptest.NewRequestWithContext(t.Context(), "POST", wire.Path, &p)
	r.ContentLength = wire.MaxBodyBytes
	if _, _, err := readPacked(httptest.NewRecorder(), r, wire.MaxBodyBytes); err == nil {
		t.Error("a body without its bytes is read")
	}
	if p.room > 64<<10 {
		t.Errorf("%d bytes are reserved for a promise", p.room)
	}
}

// TestSmallBatchTakesNoPlace: when all places for batches are taken by clients that leave theirs
// unfinished, a small batch still needs none.
func TestSmallBatchTakesNoPlace(t *testing.T) {
	t.Parallel()
	g := &Gate{packed: NewSlots(1, time.Millisecond, Busy)}
	call := &Call{op: &operation{Route: Route{Packed: wire.MaxBodyBytes}}}
	admit := func(size int64) error {
		r := httptest.NewRequestWithContext(t.Context(), "POST", wire.Path, nil)
		r.ContentLength = size
		_, err := g.admit(r, call)
		return err
	}
	if err := admit(wire.MaxBodyBytes); err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int64]bool{0: true, maxOpenBody: true, maxOpenBody + 1: false, -1: false} {
		if err := admit(size); (err == nil) != want {
			t.Errorf("a body of %d bytes: %v", size, err)
		}
	}
}
