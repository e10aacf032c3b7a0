package door

import (
	"context"

	"tcode/scanner/web/engine/link"
	"tcode/sync/outbox"
	"tcode/sync/uplink"
	"tcode/sync/wire"
)

// A Sent is the result of sending, as `tcode-scan sync --json` has it.
type Sent struct {
	Sent      int `json:"sent"`
	Accepted  int `json:"accepted"`
	Duplicate int `json:"duplicate"`
	Conflict  int `json:"conflict"`
	Changed   int `json:"changed"`
	Rejected  int `json:"rejected"`
	Waiting   int `json:"waiting"`
	Lost      int `json:"lost"`
}

func (p *phone) sentOf(ctx context.Context, r uplink.Report) (Sent, error) {
	c, err := p.counts(ctx)
	return Sent{
		Sent: r.Sent, Accepted: r.Done - r.Duplicate - r.Conflict, Duplicate: r.Duplicate, Conflict: r.Conflict, Changed: r.Changed,
		Rejected: r.Dead, Waiting: c.Waiting, Lost: c.Lost,
	}, err
}

// sync sends what is due, or everything, and fetches trust documents that are old.
func (p *phone) sync(ctx context.Context, r request) (any, error) {
	now := r.Op == "sendNow"
	if now {
		if err := p.requeue(ctx, r); err != nil {
			return nil, err
		}
	}
	p.link.Hurry() // what fails now is tried again soon
	report, err := p.link.Send(ctx, now)
	if !now && err == nil && !p.link.Fresh(ctx) {
		_, err = p.link.Refresh(ctx)
	}
	if err != nil {
		return nil, err
	}
	return p.sentOf(ctx, report)
}

// requeue puts one dead scan, or all of them, into the queue again.
func (p *phone) requeue(ctx context.Context, r request) error {
	ids := []string{}
	if r.ScanID != "" {
		ids = append(ids, r.ScanID)
	} else if r.Dead {
		err := p.each(ctx, filter{State: string(outbox.Dead)}, func(row outbox.Entry, _ Entry) bool {
			if !row.Damaged {
				ids = append(ids, row.Scan.ScanID)
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return p.scans.Do(ctx, func(b *outbox.Book) error { return b.Requeue(ctx, ids...) })
}

func (p *phone) tellCounts() {
	if c, err := p.counts(context.Background()); err == nil {
		p.door.tell("counts", c)
	}
}

// tellTrust tells the trust state after a change. Answers of a series may be others now.
func (p *phone) tellTrust() {
	p.engine.EndSeries()
	if t, err := p.trustNow(context.Background()); err == nil {
		p.door.tell("trust", t)
	}
}

// tellSync tells how sending goes, and the counts after it.
func (p *phone) tellSync(s link.State) {
	e := map[string]any{"event": "sync", "at": s.At.UTC()}
	switch {
	case s.Sending:
		e["state"] = "sending"
	case s.Err == nil:
		e["state"] = "idle"
	default:
		f := failureOf(s.Err)
		e["state"], e["error"] = "waiting", f
		if f.Code == "gateway" {
			e["state"] = "refused"
		}
	}
	if s.Report != nil {
		if sent, err := p.sentOf(context.Background(), *s.Report); err == nil {
			e["report"] = sent
		}
	}
	p.door.event(e)
	if !s.Sending {
		p.tellCounts()
	}
}

// tellSettled tells the gateway's word about each scan that it has judged.
func (p *phone) tellSettled(s outbox.Settlement) {
	for _, a := range s.Answers {
		if a.Result.Verdict == "" {
			continue
		}
		e := map[string]any{"event": "judged", "scanId": a.ScanID, "verdict": a.Result.Verdict, "verdictAtScan": a.Result.VerdictAtScan}
		if row, err := p.row(context.Background(), a.ScanID); err == nil {
			e["finding"] = wire.Finding(p.entryOf(row).Finding)
		}
		p.door.event(e)
	}
}
