package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"tcode/server/store/storetest"
	"tcode/sync/wire"
)

// A fleetRow is one return of a fleet: all devices connect together, each with its scans,
// while other clients look stamps up.
type fleetRow struct {
	Engine    string  `json:"engine"`
	Devices   int     `json:"devices"`
	Each      int     `json:"scansEach"`
	PerSecond float64 `json:"scansPerSecond"`
	CPU       float64 `json:"cpuMicros"` // of the server, for a scan
	Lost      int     `json:"lost"`
	Doubled   int     `json:"doubled"`
	Quiet     float64 `json:"quietP99Ms"` // of look-ups before
	During    float64 `json:"duringP99Ms"`
	LookUps   int     `json:"lookUpsDuring"`
	RSS       float64 `json:"rssMiB"`
}

const (
	leastFleet = 5000                  // scans a second
	mostOthers = 3                     // times the quiet p99
	pace       = 25 * time.Millisecond // between look-ups of each other client
	others     = 2
)

// fleets measures the return of a fleet on each engine.
func fleets(ctx context.Context, o options, tell func(string, ...any)) (rows []fleetRow, err error) {
	for _, e := range o.engines {
		err := with(ctx, func(h *host) error {
			d, err := prepare(h, e, o.stamps[0], 1000)
			if err != nil {
				return err
			}
			p, err := own(h, roleGateway, d, e, profile(o, e, o.stamps[0], "gateway fleet")...)
			if err != nil {
				return err
			}
			r, err := comeBack(ctx, o, e, d, p)
			rows = append(rows, r)
			tell("%s: %+v", e, r)
			return err
		})
		if err != nil {
			return rows, fmt.Errorf("%s, fleet: %w", e, err)
		}
	}
	return rows, nil
}

// comeBack sends all of a fleet's scans. The devices' own computation is done
// before.
func comeBack(ctx context.Context, o options, e storetest.Engine, d *data, p *process) (fleetRow, error) {
	r := fleetRow{Engine: string(e), Devices: o.fleet, Each: o.each}
	batches := make([][]handed, o.fleet)
	for i := range batches {
		var err error
		if batches[i], err = returning(d, i, o.each); err != nil {
			return r, err
		}
	}
	quiet, stop := context.WithTimeout(ctx, o.quiet)
	before, err := p.lookUpPaced(quiet, d)
	stop()
	if err != nil {
		return r, err
	}
	beside, stop := context.WithCancel(ctx)
	defer stop()
	var during []time.Duration
	var watching sync.WaitGroup
	var lookErr error
	watching.Go(func() { during, lookErr = p.lookUpPaced(beside, d) })
	cpu, err := p.cpu()
	if err != nil {
		return r, err
	}
	begin := time.Now()
	errs := make([]error, len(batches))
	var group sync.WaitGroup
	for i, mine := range batches {
		group.Go(func() { errs[i] = p.hand(ctx, mine) })
	}
	group.Wait()
	took := time.Since(begin)
	stop()
	watching.Wait()
	after, err := p.cpu()
	if err := errors.Join(append(errs, err, lookErr, judge(batches))...); err != nil {
		return r, err
	}
	all := o.fleet * o.each
	r.PerSecond, r.CPU = float64(all)/took.Seconds(), micros(after-cpu)/float64(all)
	r.Quiet, r.During, r.LookUps = p99(before), p99(during), len(during)
	memory, err := p.rss()
	if err != nil {
		return r, err
	}
	r.RSS = float64(memory) / (1 << 20)
	stored, err := d.count(ctx, `SELECT count(DISTINCT scan_id) FROM scans WHERE signed = 1 AND verdict = 'valid'`)
	if err != nil {
		return r, err
	}
	rows, err := d.count(ctx, `SELECT (SELECT count(*) FROM scans) + (SELECT count(*) FROM scan_conflicts)`)
	r.Lost, r.Doubled = all-stored, rows-stored
	return r, err
}

func p99(of []time.Duration) float64 {
	if len(of) == 0 {
		return 0
	}
	of = slices.Sorted(slices.Values(of))
	return micros(of[(len(of)-1)*99/100]) / 1000
}

// handed is one batch as it is sent.
type handed struct {
	raw   []byte
	items int
	reply []byte // nil until it is answered
}

// returning makes the batches of one device.
func returning(d *data, n, each int) (out []handed, err error) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	for seq := 1; seq <= each; {
		b := wire.Batch{ID: uuid.NewString(), ScannerID: wire.ScannerID(public), SentAt: wire.TruncateMillis(time.Now())}
		for ; seq <= each && len(b.Items) < wire.MaxItems; seq++ {
			b.Items = append(b.Items, wire.Item{
				ScanID: uuid.Must(uuid.NewV7()).String(), Seq: uint64(seq), Payload: d.payloads[(n*31+seq)%len(d.payloads)], ScannedAt: wire.TruncateMillis(time.Now()),
				OfflineVerdict: "valid", Assurance: "signature_and_status", Binding: "match", TrustVersion: 7,
				Context: wire.Context{Location: "Gate 4", Coordinates: true, LatitudeE6: -33_000_001, LongitudeE6: 151_000_001},
			})
		}
		raw, err := packed(b, key)
		if err != nil {
			return nil, err
		}
		out = append(out, handed{raw: raw, items: len(b.Items)})
	}
	return out, nil
}

// hand sends the batches of one device, one after the other, and keeps the replies.
func (p *process) hand(ctx context.Context, batches []handed) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for i := 0; i < len(batches); {
		if _, err := conn.Write(batches[i].raw); err != nil {
			return err
		}
		switch batches[i].reply, err = replyTo(in); {
		case errors.Is(err, errBusy): // devices wait too, but longer
			time.Sleep(time.Second)
		case err != nil:
			return err
		default:
			i++
		}
	}
	return nil
}

// judge checks that every scan of the fleet was accepted. It runs after the fleet has
// sent: real devices read their replies with their own processors, not the gateway's.
func judge(fleet [][]handed) error {
	for _, batches := range fleet {
		for _, b := range batches {
			if err := allAccepted(b.reply, b.items); err != nil {
				return err
			}
		}
	}
	return nil
}

// lookUpPaced looks stamps up at a steady pace until ctx ends, and returns the time of
// each look-up.
func (p *process) lookUpPaced(ctx context.Context, d *data) ([]time.Duration, error) {
	l := d.references()
	waits, errs := make([][]time.Duration, others), make([]error, others)
	var group sync.WaitGroup
	for i := range others {
		group.Go(func() { waits[i], errs[i] = p.paced(ctx, l, i) })
	}
	group.Wait()
	return slices.Concat(waits...), errors.Join(errs...)
}

func (p *process) paced(ctx context.Context, l load, from int) (waits []time.Duration, err error) {
	conn, err := (&net.Dialer{}).DialContext(context.WithoutCancel(ctx), "tcp", p.addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	var body bytes.Buffer
	for i := from; ; i += others {
		select {
		case <-ctx.Done():
			return waits, nil
		case <-time.After(pace):
		}
		begin := time.Now()
		if _, err := conn.Write(l.requests[i%len(l.requests)]); err != nil {
			return waits, err
		}
		if err := answer(in, &body, l.want); err != nil {
			return waits, err
		}
		waits = append(waits, time.Since(begin))
	}
}

func fleetBars(rows []fleetRow) (out []bar) {
	for _, r := range rows {
		name := fmt.Sprintf("%s, %d devices with %d scans each: ", r.Engine, r.Devices, r.Each)
		out = append(out,
			judged(bar{Name: name + "scans lost or doubled", Value: float64(r.Lost + r.Doubled), Bar: 0.5, Most: true}),
			judged(bar{Name: name + "scans a second", Value: r.PerSecond, Bar: leastFleet}),
			judged(bar{Name: name + "p99 of others, to quiet", Value: r.During / r.Quiet, Bar: mostOthers, Most: true}))
	}
	return out
}
