package main

import (
	"context"
	"strconv"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/offline/trust"
	"tcode/sync/outbox"
)

type historyCmd struct {
	State string `help:"Only scans in this state: queued, inflight, done or dead." enum:",queued,inflight,done,dead" default:"" placeholder:"STATE"`
	Limit int    `help:"How many, newest first." default:"50"`
}

// historyEntry is one scan with both verdicts beside each other.
type historyEntry struct {
	ScanID         string    `json:"scanId"`
	Seq            uint64    `json:"seq"`
	ScannedAt      time.Time `json:"scannedAt"`
	File           string    `json:"file,omitempty"`
	Page           int       `json:"page,omitempty"`
	Reference      string    `json:"reference,omitempty"`
	OfflineVerdict string    `json:"offlineVerdict"`
	Assurance      string    `json:"assurance"`
	Binding        string    `json:"binding"`
	TrustVersion   uint64    `json:"trustVersion"`
	State          string    `json:"state"`
	Attempts       int       `json:"attempts"`
	GatewayVerdict string    `json:"gatewayVerdict,omitempty"`
	VerdictAtScan  string    `json:"verdictAtScan,omitempty"` // the gateway's, as of the scan's time
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
	station, err := a.station(ctx, offline.Policy{}, nil)
	if err != nil {
		return err
	}
	defer station.Close()
	rows, err := station.Outbox.History(ctx, outbox.Filter{State: outbox.State(c.State), Limit: c.Limit})
	if err != nil {
		return err
	}
	entries := make([]historyEntry, len(rows))
	for i, row := range rows {
		entries[i] = entryOf(row)
	}
	header := []string{"scanned", "file", "reference", "offline", "state", "gateway", "note"}
	none := "No scans yet."
	if c.State != "" {
		none = "No scans in the state " + c.State + "."
	}
	return cli.List(a.out, entries, none, header, historyEntry.row)
}

func entryOf(row outbox.Entry) historyEntry {
	e := historyEntry{
		ScanID: row.Scan.ScanID, Seq: row.Scan.Seq, ScannedAt: row.Scan.ScannedAt, File: row.Scan.Source, Page: row.Scan.Page,
		Reference: row.Scan.Reference, OfflineVerdict: row.Scan.Verdict, Assurance: row.Scan.Assurance, Binding: row.Scan.Binding,
		TrustVersion: row.Scan.TrustVersion, State: string(row.State), Attempts: row.Attempts,
		GatewayVerdict: string(row.Result.Verdict), VerdictAtScan: string(row.Result.VerdictAtScan), Changed: row.Result.Changed,
		Conflict: row.Conflict, Damaged: row.Damaged, Code: row.Code, Message: row.Message,
	}
	if p, err := payload.Parse(row.Scan.Payload); err == nil && e.Reference == "" {
		e.Reference = p.Reference.String()
	}
	return e
}

func (e historyEntry) row() []string {
	file := e.File
	if e.Page > 1 {
		file += " p." + strconv.Itoa(e.Page)
	}
	note := e.Message
	switch {
	case e.Damaged:
		note = "row damaged on disk: not to be believed"
	case e.Conflict:
		note = "collides with another scan"
	case e.Binding == string(binding.Mismatch):
		note = "genuine stamp on a file it was not made for"
	case e.Changed:
		note = "was " + e.VerdictAtScan + " when scanned"
	}
	cells := []string{when(e.ScannedAt), file, e.Reference, e.OfflineVerdict, e.State, e.GatewayVerdict, note}
	for i, cell := range cells {
		cells[i] = trust.Escape(cell)
		if cell == "" {
			cells[i] = "-"
		}
	}
	return cells
}
