package attack_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/cmd/internal/world"
	"tcode/sync/wire"
)

// A tally counts the calls of one kind, and keeps the first that was refused.
type tally struct {
	done, refused atomic.Int64
	slowest       atomic.Int64
	first         sync.Once
	why           string
}

func (c *tally) count(start time.Time, err error) {
	c.done.Add(1)
	for took := int64(time.Since(start)); ; {
		if most := c.slowest.Load(); took <= most || c.slowest.CompareAndSwap(most, took) {
			break
		}
	}
	if err != nil {
		c.refused.Add(1)
		c.first.Do(func() { c.why = err.Error() })
	}
}

// An honest party is a tenant, and ten devices with a history, each at its own address.
type honest struct {
	*served
	devices                   []*sender
	paper                     world.Paper // the stamp that strangers know
	references                []string    // of the stamps that devices scan
	stamps, revocations, news tally
	scans                     tally
}

// A sender signs batches of scans, and makes a connection for each batch, as tcode-scan does.
type sender struct {
	key    ed25519.PrivateKey
	id     string
	seq    uint64
	client *http.Client
}

func newSender(client *http.Client) *sender {
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		panic(err)
	}
	return &sender{key: key, id: wire.ScannerID(public), client: client}
}

// clientAt returns a client whose connections come from an address of this machine.
func clientAt(address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: time.Minute}
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DialContext: dialer.DialContext, DisableKeepAlives: true,
	}}
}

// batch is a signed batch of items.
func (d *sender) batch(items ...wire.Item) wire.Batch {
	return wire.Batch{ID: uuid.NewString(), ScannerID: d.id, SentAt: wire.TruncateMillis(time.Now()), Items: items}
}

// item is a scan; change it before it is signed.
func (d *sender) item(reference string) wire.Item {
	d.seq++
	return wire.Item{
		ScanID: uuid.NewString(), Seq: d.seq, Reference: reference, ScannedAt: wire.TruncateMillis(time.Now()),
		OfflineVerdict: "valid", Assurance: "signature_and_status", Binding: "match",
	}
}

// send sends a batch, signed unless the device has no key, and returns the status and the answer.
func (d *sender) send(ctx context.Context, url string, b wire.Batch) (status int, answer []byte, err error) {
	raw, err := b.Encode()
	if err != nil {
		return 0, nil, err
	}
	header := http.Header{"Content-Type": {"application/json"}, wire.HeaderBatchID: {b.ID}}
	if d.key != nil {
		key, signature, err := wire.SignBatch(b, d.key)
		if err != nil {
			return 0, nil, err
		}
		header.Set(wire.HeaderDeviceKey, key)
		header.Set(wire.HeaderBatchSignature, signature)
	}
	return call(ctx, d.client, http.MethodPost, url+wire.Path, header, raw)
}

// call makes a request and returns the status and the answer.
func call(ctx context.Context, c *http.Client, method, url string, header http.Header, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header = header
	res, err := c.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return res.StatusCode, answer, err
}

func newHonest(s *served) *honest {
	h := &honest{served: s}
	for i := range 10 {
		h.devices = append(h.devices, newSender(clientAt(fmt.Sprint("127.0.0.", 10+i))))
	}
	return h
}

// warmUp makes each child process work, and gives the devices a history.
func (h *honest) warmUp() {
	for i := range 12 {
		if _, err := h.stamp(h.T.Context(), fmt.Sprint("warm ", i)); err != nil {
			h.T.Fatal(err)
		}
	}
	for _, d := range h.devices {
		if err := h.sync(h.T.Context(), d, h.references[0]); err != nil {
			h.T.Fatal(err)
		}
		name := exec.Command(world.Program(h.T, "tcode-gateway"), "--data", h.Data, "device", "name", d.id, "gate")
		if out, err := name.CombinedOutput(); err != nil {
			h.T.Fatalf("device name: %v\n%s", err, out)
		}
	}
}

// tenant makes a request with the tenant's key; an answer of 300 and more is an error.
func (h *honest) tenant(ctx context.Context, method, path string, body any) (answer []byte, err error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	header := http.Header{"X-Api-Key": {h.Issuers[0].APIKey}, "Content-Type": {"application/json"}}
	status, answer, err := call(ctx, http.DefaultClient, method, h.url+path, header, raw)
	if err == nil && status >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: %d %s", method, path, status, answer)
	}
	return answer, err
}

// stamp makes a stamp, and keeps the first ones.
func (h *honest) stamp(ctx context.Context, name string) (id string, err error) {
	answer, err := h.tenant(ctx, http.MethodPost, "/v1/tcode/stamps", map[string]any{
		"name": name, "documentTypeCode": "DIP", "pdf": world.Base64(world.SmallPDF(len(name))),
	})
	if err != nil {
		return "", err
	}
	var made struct {
		Data struct{ ID, Reference string }
	}
	if err := json.Unmarshal(answer, &made); err != nil {
		return "", err
	}
	if h.paper.ID == "" {
		h.paper = world.Paper{ID: made.Data.ID, Reference: made.Data.Reference}
	}
	if len(h.references) < 12 {
		h.references = append(h.references, made.Data.Reference)
	}
	return made.Data.ID, nil
}

// sync sends five scans of a stamp; one that is not accepted is an error.
func (h *honest) sync(ctx context.Context, d *sender, reference string) error {
	var items []wire.Item
	for range 5 {
		items = append(items, d.item(reference))
	}
	status, answer, err := d.send(ctx, h.url, d.batch(items...))
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%d %s", status, answer)
	}
	reply, err := wire.DecodeReply(answer)
	if err != nil {
		return err
	}
	for _, r := range reply.Results {
		if r.Result != wire.Accepted {
			return fmt.Errorf("%+v", r)
		}
	}
	return nil
}

// published waits until the gateway has published a newer timestamp than old.
func (h *honest) published(ctx context.Context, old []byte) (now []byte, err error) {
	for ; ; time.Sleep(200 * time.Millisecond) {
		path, header := "/v1/reference-data/trust-store/timestamp", http.Header{"X-Api-Key": {h.Issuers[0].APIKey}}
		status, answer, err := call(ctx, http.DefaultClient, http.MethodGet, h.url+path, header, nil)
		if err != nil || status != http.StatusOK {
			return old, fmt.Errorf("timestamp: %d %w", status, err)
		}
		if !bytes.Equal(answer, old) {
			return answer, nil
		}
	}
}

// run works until ctx ends. A call that has begun is made to its end.
func (h *honest) run(ctx context.Context, all *sync.WaitGroup) {
	all.Go(func() {
		work := context.WithoutCancel(ctx)
		var seen []byte
		for i := 0; ctx.Err() == nil; i++ {
			start := time.Now()
			id, err := h.stamp(work, fmt.Sprint("stamp ", i))
			h.stamps.count(start, err)
			if err == nil {
				start = time.Now()
				_, err = h.tenant(work, http.MethodPost, "/v1/tcode/stamps/"+id+"/revoke", map[string]any{})
				h.revocations.count(start, err)
				start = time.Now()
				limit, stop := context.WithTimeout(work, time.Minute)
				seen, err = h.published(limit, seen)
				stop()
				h.news.count(start, err)
			}
			pause(ctx, time.Second)
		}
	})
	for _, d := range h.devices {
		all.Go(func() {
			for ctx.Err() == nil {
				start := time.Now()
				h.scans.count(start, h.sync(context.WithoutCancel(ctx), d, pick(h.references)))
				pause(ctx, time.Second)
			}
		})
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// report fails the test for each kind of call that was refused or not made.
func (h *honest) report(t *testing.T) {
	for _, kind := range []struct {
		name string
		of   *tally
	}{{"stamps", &h.stamps}, {"revocations", &h.revocations}, {"publications", &h.news}, {"batches", &h.scans}} {
		done, refused := kind.of.done.Load(), kind.of.refused.Load()
		t.Logf("%-12s %6d made, %d refused, the slowest %.1f s", kind.name, done, refused,
			time.Duration(kind.of.slowest.Load()).Seconds())
		if refused > 0 || done == 0 {
			t.Errorf("%s: %d of %d refused, such as: %s", kind.name, refused, done, kind.of.why)
		}
	}
}
