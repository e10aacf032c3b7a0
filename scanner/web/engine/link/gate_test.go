package link_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
	"tcode/scanner/web/engine/keep"
	"tcode/scanner/web/engine/link"
	"tcode/sync/feed"
	"tcode/sync/outbox"
	"tcode/sync/transport"
	"tcode/sync/wire"
)

const address = "https://gate.example"

// A gate is a gateway and the way to it: it serves trust documents and keeps scans by the rules of package wire.
type gate struct {
	*trusttest.Authority
	now func() time.Time

	mu      sync.Mutex
	down    bool                                      // nothing reaches it
	hang    bool                                      // it takes scans and does not answer
	answer  func(b wire.Batch, r *transport.Response) // changes an answer about a batch
	signer  *trust.Signer                             // of receipts; nil: the online key of the authority
	set     trust.Update                              //
	objects map[string][]byte                         // by name
	effects map[string]int                            // of each scan
	heard   map[string]int                            // of each clock event
	fetched []time.Time                               // refreshes
	posted  []time.Time                               // batches
	tried   []time.Time                               // requests while it is down
}

func newGate(t *testing.T) *gate {
	g := &gate{Authority: trusttest.New(t, "a"), effects: map[string]int{}, heard: map[string]int{}}
	start := time.Now()
	g.now = func() time.Time { return trusttest.Day0.Add(time.Hour + time.Since(start)) }
	g.publish(10)
	return g
}

func (g *gate) publish(version uint64) {
	g.set = g.Set(version, 0)
	g.objects = map[string][]byte{"timestamp": g.set.Timestamp}
	put := func(data []byte) { g.objects[digest.SHA256(sha256.Sum256(data)).String()] = data }
	put(g.set.Bundle)
	put(g.set.Status)
	for _, pack := range g.set.Packs {
		put(pack)
	}
	for _, shard := range g.Shards {
		g.objects[shard.Hash().String()] = shard.Deflate()
	}
	for i, root := range g.Roots {
		g.objects[fmt.Sprintf("root/%d", i+1)] = root
	}
}

// Do implements transport.Transport.
func (g *gate) Do(ctx context.Context, r transport.Request) (transport.Response, error) {
	if err := r.Check(); err != nil {
		return transport.Response{}, err
	}
	if err := ctx.Err(); err != nil {
		return transport.Response{}, &transport.Error{Reason: transport.ErrCanceled, Err: err}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.down {
		g.tried = append(g.tried, g.now())
		return transport.Response{}, &transport.Error{Reason: transport.ErrUnreachable}
	}
	name, ok := strings.CutPrefix(r.URL, address+feed.Path)
	switch {
	case r.URL == address+wire.Path:
		res, err := g.sync(r)
		if g.hang && err == nil {
			g.mu.Unlock()
			<-ctx.Done()
			g.mu.Lock()
			return transport.Response{}, &transport.Error{Reason: transport.ErrCanceled, Err: ctx.Err()}
		}
		return res, err
	case ok && g.objects[name] != nil:
		if name == "timestamp" {
			g.fetched = append(g.fetched, g.now())
		}
		return transport.Response{Status: 200, Body: g.objects[name]}, nil
	}
	return transport.Response{Status: 404}, nil
}

// sync keeps the scans of a batch, each once, and answers them with a receipt.
func (g *gate) sync(r transport.Request) (transport.Response, error) {
	g.posted = append(g.posted, g.now())
	header := func(name string) string { return r.Header[name] }
	z, err := gzip.NewReader(bytes.NewReader(r.Body))
	if err != nil {
		return transport.Response{}, err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return transport.Response{}, err
	}
	b, err := wire.DecodeBatch(raw)
	if err == nil {
		err = wire.VerifyBatch(b, header(wire.HeaderDeviceKey), header(wire.HeaderBatchSignature))
	}
	if err != nil {
		return transport.Response{}, err
	}
	reply := wire.Reply{BatchID: b.ID, ReceivedAt: g.now()}
	for _, it := range b.Items {
		x := wire.ItemResult{ScanID: it.ScanID, Result: wire.Duplicate, Verdict: "valid", VerdictAtScan: "valid"}
		if g.effects[it.ScanID] == 0 {
			g.effects[it.ScanID], x.Result = 1, wire.Accepted
		}
		reply.Results = append(reply.Results, x)
	}
	for _, e := range b.Clock {
		g.heard[e.ID] = 1
	}
	signer := g.signer
	if signer == nil {
		signer = g.Online
	}
	if receipt, ok := wire.NewReceipt(b, reply.Results, g.now()); ok {
		if reply.Receipt, err = wire.SignReceipt(receipt, signer); err != nil {
			return transport.Response{}, err
		}
	}
	res := transport.Response{Status: 200, Header: map[string]string{strings.ToLower(wire.HeaderBatchID): b.ID}}
	if res.Body, err = reply.Encode(); err != nil {
		return res, err
	}
	if g.answer != nil {
		g.answer(b, &res)
	}
	return res, nil
}

// sent returns the number of batches and of refreshes so far.
func (g *gate) sent() (batches, refreshes int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.posted), len(g.fetched)
}

// do changes the gate.
func (g *gate) do(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
}

// A phone is a device with its disks.
type phone struct {
	g            *gate
	scans, trust *journal.Disk
	key          ed25519.PrivateKey
	kept         *keep.Scans
	book         *trustbook.Book
	link         *link.Link
	states       []link.State
	mu           sync.Mutex
	n            int
}

func newPhone(t *testing.T, g *gate) *phone {
	t.Helper()
	p := &phone{g: g, scans: new(journal.Disk), trust: new(journal.Disk), key: ed25519.NewKeyFromSeed(make([]byte, 32))}
	p.open(t)
	return p
}

// told returns how often the state was told.
func (p *phone) told() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.states)
}

func opener(d *journal.Disk) keep.Opener {
	return func(context.Context) (journal.Journal, error) { return d.Open() }
}

// open opens the phone's stores, as a window does.
func (p *phone) open(t *testing.T) {
	t.Helper()
	var err error
	if p.kept, err = keep.OpenScans(t.Context(), opener(p.scans)); err != nil {
		t.Fatal(err)
	}
	opened, err := trustjournal.Open(t.Context(), opener(p.trust), p.g.now)
	if err != nil {
		t.Fatal(err)
	}
	p.book = opened.Book
	p.link = link.New(p.config())
}

func (p *phone) config() link.Config {
	return link.Config{
		Scans: p.kept, Book: p.book, Key: p.key, Transport: p.g, Now: p.g.now,
		Sync: func(s link.State) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.states = append(p.states, s)
		},
	}
}

func (p *phone) close(t *testing.T) {
	t.Helper()
	if err := errors.Join(p.kept.Close(), p.book.Close()); err != nil {
		t.Fatal(err)
	}
}

func (p *phone) enrol(t *testing.T) {
	t.Helper()
	if _, err := p.link.Enrol(t.Context(), address, p.g.Fingerprint); err != nil {
		t.Fatal(err)
	}
	p.g.do(func() { p.g.fetched = nil })
}

// scan records a scan.
func (p *phone) scan(t *testing.T) {
	t.Helper()
	p.n++
	s := &outbox.Scan{
		ScanID: fmt.Sprintf("%08x-0190-7000-8000-000000000000", p.n), Payload: fmt.Appendf(nil, "\xd7\x11payload %d", p.n),
		ScannedAt: p.g.now(), Verdict: "valid", Assurance: "signature_and_status", Binding: "match", TrustVersion: 1,
	}
	if err := p.kept.Record(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}

// run runs the link until the function that it returns is called; that one waits for its end.
func (p *phone) run(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		p.link.Run(ctx)
		close(done)
	}()
	return func() {
		cancel()
		<-done
	}
}

// counts returns the numbers of queued, inflight and done scans.
func (p *phone) counts(t *testing.T) string {
	t.Helper()
	var c outbox.Counts
	err := p.kept.Do(t.Context(), func(b *outbox.Book) (err error) {
		c, err = b.Counts(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(c.Queued, c.Inflight, c.Done)
}

// once checks that the gate has that many scans, each once, and that the phone has a receipt for each.
func (p *phone) once(t *testing.T, want int) {
	t.Helper()
	p.g.do(func() {
		if len(p.g.effects) != want {
			t.Errorf("the gateway has %d scans, want %d", len(p.g.effects), want)
		}
	})
	if got := p.counts(t); got != fmt.Sprint(0, 0, want) {
		t.Errorf("queued, inflight and done scans: %s, want %d done", got, want)
	}
}
