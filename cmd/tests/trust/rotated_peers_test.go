package trust_test

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline/trust"
	"tcode/server/store/storetest"
)

// A peerDevice holds the last answers of any of several gateways on one
// database, and asks another gateway each time.
type peerDevice struct {
	t     *testing.T
	urls  []string
	state trust.State
}

// get returns the answer, or nil unless the status is 200.
func (d *peerDevice) get(url, path string) []byte {
	resp, err := http.Get(url + "/v1/reference-data/trust-store/" + path)
	if err != nil {
		d.t.Error(err)
		return nil
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil
	}
	return raw
}

// look fetches the roots and the timestamp of a gateway and asks for a proof of
// time. It returns an error for anything that the device must refuse.
func (d *peerDevice) look(url string) error {
	before := uint64(0)
	if d.state.Timestamp != nil {
		before = d.state.Timestamp.Version
	}
	stamp := d.get(url, "timestamp") // first, because a missing root then comes after it
	var roots [][]byte
	for version := d.state.Root.Version + 1; ; version++ {
		raw := d.get(url, fmt.Sprintf("root/%d", version))
		if raw == nil {
			break
		}
		roots = append(roots, raw)
	}
	if len(d.state.Roots) == 0 {
		if len(roots) == 0 {
			return errors.New("there is no root")
		}
		s, err := trust.Pin(roots[:1], nil)
		if err != nil {
			return err
		}
		d.state, roots = s, roots[1:]
	}
	next, _, err := d.state.Apply(trust.Update{Roots: roots})
	if err != nil {
		return fmt.Errorf("roots: %w", err)
	}
	rotated := next.Root.Online != d.state.Root.Online
	d.state = next
	ts, err := trust.ParseTimestamp(next.Fingerprint, next.Root.Online, stamp)
	switch {
	case err != nil && rotated: // the root changed after the timestamp was fetched: the next look has both
	case err != nil:
		return fmt.Errorf("timestamp after root %d: %w", next.Root.Version, err)
	case !rotated && ts.Version < before:
		return fmt.Errorf("version %d after %d", ts.Version, before)
	default:
		d.state.Timestamp = ts
	}
	var nonce [32]byte
	rand.Read(nonce[:])
	if note := d.get(url, "time?nonce="+hex.EncodeToString(nonce[:])); note != nil {
		if _, err := trust.ParseTimeNote(next.Fingerprint, next.Root.Online, nonce, note); err != nil {
			return fmt.Errorf("time: %w", err)
		}
	}
	return nil
}

// TestPeersRotate: three gateways, each its own process, run on one PostgreSQL
// during changes of the online key, of the root and publications. A device that
// asks one after the other never sees an older version or a timestamp that its
// root does not verify, and refuses proofs of time for at most a second after a
// change. TCODE_PEER_ROTATIONS is the number of changes.
func TestPeersRotate(t *testing.T) {
	t.Parallel()
	o := newOperatorOn(t, storetest.EmptyPostgres(t))
	d := &peerDevice{t: t, urls: []string{o.url}}
	for range 2 {
		o.serve("127.0.0.1:0")
		d.urls = append(d.urls, o.url)
	}
	var mu sync.Mutex
	var changed time.Time // when the last change of the online key ended
	changing := false
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			began := time.Now()
			err := d.look(d.urls[i%len(d.urls)])
			mu.Lock()
			settled := !changing && began.Sub(changed) > 1500*time.Millisecond
			mu.Unlock()
			if err != nil && (settled || !strings.HasPrefix(err.Error(), "time:")) {
				t.Errorf("gateway %d: %v", i%len(d.urls), err)
			}
		}
	}()
	for i := range world.Count(t, "TCODE_PEER_ROTATIONS", 3) {
		mu.Lock()
		changing = true
		mu.Unlock()
		switch i % 3 {
		case 0:
			o.run("tcode-gateway online-key rotate")
		case 1:
			o.run(fmt.Sprintf("tcode-gateway root rotate --expires 400d --out next-%d && tcode-gateway root publish next-%d", i, i))
		case 2:
			o.run(fmt.Sprintf("tcode-gateway tenant create --name T%d && tcode-gateway online-key rotate", i))
		}
		mu.Lock()
		changing, changed = false, time.Now()
		mu.Unlock()
		time.Sleep(2 * time.Second)
	}
	close(stop)
	<-done
	for i, url := range d.urls {
		if err := d.look(url); err != nil {
			t.Errorf("gateway %d at the end: %v", i, err)
		}
	}
	if d.state.Root.Version < 4 {
		t.Errorf("root %d: the test proves too little", d.state.Root.Version)
	}
}
