package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/offline/payload"
	"tcode/offline/trust"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

type historyCmd struct {
	State string `help:"Only scans in this state: queued, inflight, done or dead." enum:",queued,inflight,done,dead" default:"" placeholder:"STATE"`
	Limit int    `help:"Number of scans, newest first." default:"50"`
	Seen  bool   `help:"Take note of repairs of a damaged history: commands no longer mention them, and lost scans no longer make sync fail."`
}

// A historyEntry is one scan with the verdicts of device and gateway, or a
// correction of the clock, which has only the members of clockEvent.
type historyEntry struct {
	event *clockEvent

	ScanID         string    `json:"scanId"`
	Seq            uint64    `json:"seq"`
	ScannedAt      time.Time `json:"scannedAt"`
	File           string    `json:"file,omitempty"`
	Page           int       `json:"page,omitempty"`
	Reference      string    `json:"reference,omitempty"`
	Verdict        string    `json:"verdict"` // the worse of the next two
	OfflineVerdict string    `json:"offlineVerdict"`
	Assurance      string    `json:"assurance"`
	Binding        string    `json:"binding"`
	TrustVersion   uint64    `json:"trustVersion"`
	Basis          string    `json:"basis"`                   // where scannedAt comes from: proven or device_clock
	ClockWasAhead  bool      `json:"clockWasAhead,omitempty"` // a clock that ran ahead gave scannedAt
	State          string    `json:"state"`
	Attempts       int       `json:"attempts"`
	GatewayVerdict string    `json:"gatewayVerdict,omitempty"`
	VerdictAtScan  string    `json:"verdictAtScan,omitempty"` // the gateway's, as of the scan's time
	Finding        string    `json:"finding,omitempty"`       // why it deserves a second look: a word of sync/wire
	Changed        bool      `json:"changed"`
	Conflict       bool      `json:"conflict"`
	Damaged        bool      `json:"damaged"`
	Code           string    `json:"code,omitempty"`
	Message        string    `json:"message,omitempty"`
}

func (c *historyCmd) Run(ctx context.Context, a *app) error {
	if c.Limit < 1 {
		return cli.Usage("--limit must be at least 1")
	}
	open := a.reading
	if c.Seen {
		open = func(ctx context.Context) (*device.Device, error) { return a.openDevice(ctx, offline.Policy{}, nil) }
	}
	dev, err := open(ctx)
	if err != nil {
		return err
	}
	defer dev.Close()
	rows, err := dev.Outbox.History(ctx, outbox.Filter{State: outbox.State(c.State), Limit: c.Limit})
	if err != nil {
		return err
	}
	var events []outbox.ClockEvent
	if c.State == "" {
		if events, err = dev.Outbox.ClockEvents(ctx, c.Limit); err != nil {
			return err
		}
	}
	entries := interleaved(rows, events, c.Limit)
	header := []string{"scanned", "file", "reference", "verdict", "offline", "gateway", "state", "note"}
	none := "No scans yet."
	if c.State != "" {
		none = "No scans in the state " + c.State + "."
	}
	if err := cli.List(a.out, entries, none, header, historyEntry.row); err != nil || c.State != "" {
		return err
	}
	return c.repairs(ctx, a, dev)
}

// A repairView is a repair of the history in its list.
type repairView struct {
	Event  string     `json:"event"`
	At     time.Time  `json:"at"`
	Aside  string     `json:"aside,omitempty"`
	Reason string     `json:"reason"`
	Kept   int        `json:"salvaged"`
	Lost   []lossView `json:"lost"`
	Seen   bool       `json:"seen"`

	ClockEvents     int `json:"clockEventsSalvaged"`
	ClockEventsLost int `json:"clockEventsLost"`
}

type lossView struct {
	Seq    uint64 `json:"seq"`
	ScanID string `json:"scanId,omitempty"` // as far as it is readable
}

// repairs lists repairs and every lost scan.
func (c *historyCmd) repairs(ctx context.Context, a *app, dev *device.Device) error {
	repairs, err := dev.Outbox.Repairs(ctx)
	if err != nil {
		return err
	}
	const most = 100_000
	losses, err := dev.Outbox.Losses(ctx, most)
	if err != nil {
		return err
	}
	for _, r := range repairs {
		v := repairView{Event: "history_damaged", At: r.At, Aside: r.Aside, Reason: r.Reason, Kept: r.Kept, Lost: []lossView{}, Seen: r.Seen || c.Seen, ClockEvents: r.Events, ClockEventsLost: r.EventsLost}
		for _, l := range losses {
			if l.Repair == r.ID {
				v.Lost = append(v.Lost, lossView{l.Seq, l.ScanID})
			}
		}
		err := a.out.Emit(v, func(w io.Writer) {
			fmt.Fprintf(w, "%s  %s\n", when(v.At), cli.Printable(r.String()))
			for _, l := range v.Lost {
				fmt.Fprintf(w, "  lost: scan %d %s\n", l.Seq, cli.Printable(l.ScanID))
			}
		})
		if err != nil {
			return err
		}
	}
	if c.Seen {
		return dev.Outbox.MarkSeen(ctx)
	}
	return nil
}

// interleaved puts corrections of the clock between the scans, newest first.
func interleaved(rows []outbox.Entry, events []outbox.ClockEvent, limit int) []historyEntry {
	var entries []historyEntry
	for len(entries) < limit && len(rows)+len(events) > 0 {
		if len(events) > 0 && (len(rows) == 0 || events[0].AfterSeq >= rows[0].Scan.Seq) {
			e := eventOf(events[0])
			entries, events = append(entries, historyEntry{event: &e}), events[1:]
			continue
		}
		entries, rows = append(entries, entryOf(rows[0])), rows[1:]
	}
	return entries
}

// MarshalJSON writes a scan's members, or a correction's.
func (e historyEntry) MarshalJSON() ([]byte, error) {
	if e.event != nil {
		return json.Marshal(e.event)
	}
	type scan historyEntry
	return json.Marshal(scan(e))
}

func entryOf(row outbox.Entry) historyEntry {
	e := historyEntry{
		ScanID: row.Scan.ScanID, Seq: row.Scan.Seq, ScannedAt: row.Scan.ScannedAt, File: row.Scan.Source, Page: row.Scan.Page,
		Reference: row.Scan.Reference, OfflineVerdict: row.Scan.Verdict, Assurance: row.Scan.Assurance, Binding: row.Scan.Binding,
		TrustVersion: row.Scan.TrustVersion, State: string(row.State), Attempts: row.Attempts,
		GatewayVerdict: string(row.Result.Verdict), VerdictAtScan: string(row.Result.VerdictAtScan), Changed: row.Result.Changed,
		Basis: string(offline.DeviceClock), ClockWasAhead: row.Ahead, Conflict: row.Conflict, Damaged: row.Damaged, Code: row.Code, Message: row.Message,
	}
	if row.Scan.Proven {
		e.Basis = string(offline.Proven)
	}
	e.Verdict = wire.Worse(e.OfflineVerdict, e.GatewayVerdict)
	if row.Damaged {
		e.Verdict = string(offline.Unverified) // the row is not trustworthy
	}
	e.Finding = string(wire.FindingOf(wire.Judged{
		OfflineVerdict: e.OfflineVerdict, Binding: e.Binding, Verdict: e.GatewayVerdict, VerdictAtScan: e.VerdictAtScan, Test: row.Scan.Test,
		ClockWasAhead: row.Ahead,
	}))
	if p, err := payload.Parse(row.Scan.Payload); err == nil && e.Reference == "" {
		e.Reference = p.Reference.String()
	}
	return e
}

func (e historyEntry) row() []string {
	if e.event != nil {
		return []string{when(e.event.At), "-", "-", "-", "-", "-", "-", e.event.words()}
	}
	file := e.File
	if e.Page > 1 {
		file += " p." + strconv.Itoa(e.Page)
	}
	note := e.Message
	switch {
	case e.Damaged:
		note = "row damaged on disk: do not trust it"
	case e.Conflict:
		note = "collides with another scan"
	case e.Finding != "":
		note = wire.Finding(e.Finding).Says()
	case e.ClockWasAhead:
		note = "dated by a clock that ran ahead"
	case e.Changed:
		note = "was " + e.VerdictAtScan + " when scanned"
	}
	cells := []string{when(e.ScannedAt), file, e.Reference, e.Verdict, e.OfflineVerdict, e.GatewayVerdict, e.State, note}
	for i, cell := range cells {
		cells[i] = trust.Escape(cell)
		if cell == "" {
			cells[i] = "-"
		}
	}
	return cells
}
