package outbox_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/offline/trust"
	"tcode/sync/outbox"
	"tcode/sync/transport"
	"tcode/sync/uplink"
	"tcode/sync/wire"
)

// taker is a gateway that takes every batch that package wire decodes, and counts.
type taker struct {
	online *trust.Signer
	scans  map[string]int
	events map[string]int
}

// Do implements transport.Transport.
func (g *taker) Do(_ context.Context, r transport.Request) (transport.Response, error) {
	z, err := gzip.NewReader(bytes.NewReader(r.Body))
	if err != nil {
		return transport.Response{}, err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return transport.Response{}, err
	}
	b, err := wire.DecodeBatch(raw)
	if err != nil {
		return transport.Response{}, err
	}
	reply := wire.Reply{BatchID: b.ID, ReceivedAt: noon}
	for _, it := range b.Items {
		g.scans[it.ScanID]++
		reply.Results = append(reply.Results, wire.ItemResult{ScanID: it.ScanID, Result: wire.Accepted, Verdict: "valid", VerdictAtScan: "valid"})
	}
	for _, e := range b.Clock {
		g.events[e.ID]++
	}
	receipt, _ := wire.NewReceipt(b, reply.Results, noon)
	if reply.Receipt, err = wire.SignReceipt(receipt, g.online); err != nil {
		return transport.Response{}, err
	}
	res := transport.Response{Status: 200, Header: map[string]string{strings.ToLower(wire.HeaderBatchID): b.ID}}
	res.Body, err = reply.Encode()
	return res, err
}

// TestBookMadeUp writes whole records of scans and clock events that no gateway takes before, between and behind real ones: each real
// one is sent once, in one flush, and the others wait or are set aside.
func TestBookMadeUp(t *testing.T) {
	t.Parallel()
	bad := map[string]func(*outbox.Scan){
		"no UUID":            func(s *outbox.Scan) { s.ScanID = "x" },
		"quotes in the id":   func(s *outbox.Scan) { s.ScanID = "\"},{\"" },
		"not UTF-8":          func(s *outbox.Scan) { s.ScanID = "\xff" },
		"far in the future":  func(s *outbox.Scan) { s.ScannedAt = time.UnixMilli(1<<62 - 1) },
		"far in the past":    func(s *outbox.Scan) { s.ScannedAt = time.UnixMilli(-1 << 62) },
		"unknown verdict":    func(s *outbox.Scan) { s.Verdict = "genuine" },
		"both":               func(s *outbox.Scan) { s.Reference = "TCR-0123456789ABCDEF" },
		"neither":            func(s *outbox.Scan) { s.Payload = nil },
		"a large payload":    func(s *outbox.Scan) { s.Payload = bytes.Repeat([]byte{0xd7}, 1<<20) },
		"a note not UTF-8":   func(s *outbox.Scan) { s.Context.Note = "\xff\xfe" },
		"a long note":        func(s *outbox.Scan) { s.Context.Note = strings.Repeat("n", 1<<10) },
		"beyond the pole":    func(s *outbox.Scan) { s.Context = wire.Context{Coordinates: true, LatitudeE6: 1 << 30} },
		"unknown assurance":  func(s *outbox.Scan) { s.Assurance = strings.Repeat("a", 300) },
		"reference of bytes": func(s *outbox.Scan) { s.Payload, s.Reference = nil, "\x00" },
	}
	var d journal.Disk
	b := openBook(t, &d)
	put(t, b, scan(1))
	if _, _, err := b.Correct(t.Context(), outbox.ClockEvent{Kind: outbox.ClockConfirmed, At: noon}); err != nil {
		t.Fatal(err)
	}
	_ = b.Close()
	records := d.Records()
	seq, names := uint64(1), map[string]string{}
	for name, change := range bad {
		seq++
		s := scan(int(seq))
		s.ScanID = fmt.Sprintf("%08x-0190-7000-8000-00000000bad0", seq)
		names[s.ScanID] = name
		change(s)
		key, record := outbox.MadeUp(seq, s)
		if records[key] != nil {
			t.Fatal(name)
		}
		records[key] = record
	}
	real := wire.ClockEvent{}
	for n, e := range []outbox.ClockEvent{
		{ID: "x"}, {ID: "\xff"}, {ID: "00000003-0190-7000-8000-000000000000", At: time.UnixMilli(1<<62 - 1)}, {ID: "00000004-0190-7000-8000-000000000000", Was: time.UnixMilli(-1 << 60)},
	} {
		e.Kind = outbox.ClockConfirmed
		if e.At.IsZero() {
			e.At = noon
		}
		key, record := outbox.MadeUpEvent(n+2, e)
		records[key] = record
	}
	d.Set(records)
	b = openBook(t, &d)
	if untold, err := b.Untold(t.Context()); err != nil || len(untold) != 1 {
		t.Fatalf("clock events %+v, %v", untold, err)
	} else {
		real = untold[0]
	}
	put(t, b, scan(100), scan(101))
	online, err := trust.NewSigner("gate.example/online", ed25519.NewKeyFromSeed(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	g := &taker{online: online, scans: map[string]int{}, events: map[string]int{}}
	now := noon
	u, err := uplink.New(uplink.Config{
		Outbox: b, Gateway: "https://gate.example", Key: ed25519.NewKeyFromSeed(make([]byte, 32)), Transport: g, Now: func() time.Time { return now },
		Online: func(context.Context) (trust.VerifierKey, error) { return online.Key(), nil },
		Sleep:  func(_ context.Context, d time.Duration) error { now = now.Add(d); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		report, err := u.FlushNow(t.Context())
		if err != nil {
			t.Fatalf("round %d: %+v, %v", round, report, err)
		}
		now = now.Add(time.Hour)
	}
	c, err := b.Counts(t.Context())
	if err != nil || c.Done != 3 || c.Queued+c.Done != len(bad)+3 {
		t.Errorf("%+v, %v", c, err)
	}
	for id, n := range g.scans {
		if n != 1 || names[id] != "" {
			t.Errorf("scan %s (%s) was taken %d times", id, names[id], n)
		}
	}
	if len(g.scans) != 3 || g.events[real.ID] != 1 || len(g.events) != 1 {
		t.Errorf("scans %v, events %v", g.scans, g.events)
	}
	waiting, err := b.History(t.Context(), outbox.Filter{State: outbox.Queued})
	if err != nil || len(waiting) != len(bad) || waiting[0].Code != uplink.CodeUnsendable || waiting[0].Message == "" {
		t.Errorf("waiting: %+v, %v", waiting, err)
	}
	if err := errors.Join(b.Close()); err != nil {
		t.Fatal(err)
	}
}
