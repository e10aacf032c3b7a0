package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/offline/jsontext"
	"tcode/offline/trust"
	"tcode/scanner/answer"
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

	answer.Entry
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
		entries, rows = append(entries, historyEntry{Entry: answer.EntryOf(rows[0])}), rows[1:]
	}
	return entries
}

// MarshalJSON writes a scan's members, or a correction's.
func (e historyEntry) MarshalJSON() ([]byte, error) {
	if e.event != nil {
		return jsontext.Marshal(e.event)
	}
	return jsontext.Marshal(e.Entry)
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
