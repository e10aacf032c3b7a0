package main

import (
	"context"
	"strconv"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline"
	"tcode/offline/payload"
	"tcode/offline/trust"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

type historyCmd struct {
	State string `help:"Only scans in this state: queued, inflight, done or dead." enum:",queued,inflight,done,dead" default:"" placeholder:"STATE"`
	Limit int    `help:"How many, newest first." default:"50"`
}

// historyEntry is one scan: the verdict that counts, and what it is the worse of.
type historyEntry struct {
	ScanID         string    `json:"scanId"`
	Seq            uint64    `json:"seq"`
	ScannedAt      time.Time `json:"scannedAt"`
	File           string    `json:"file,omitempty"`
	Page           int       `json:"page,omitempty"`
	Reference      string    `json:"reference,omitempty"`
	Verdict        string    `json:"verdict"` // the worse of the two below
	OfflineVerdict string    `json:"offlineVerdict"`
	Assurance      string    `json:"assurance"`
	Binding        string    `json:"binding"`
	TrustVersion   uint64    `json:"trustVersion"`
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
	header := []string{"scanned", "file", "reference", "verdict", "offline", "gateway", "state", "note"}
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
	e.Verdict = wire.Worse(e.OfflineVerdict, e.GatewayVerdict)
	if row.Damaged {
		e.Verdict = string(offline.Unverified) // nothing in the row is to be believed
	}
	e.Finding = string(wire.FindingOf(wire.Judged{
		OfflineVerdict: e.OfflineVerdict, Binding: e.Binding, Verdict: e.GatewayVerdict, VerdictAtScan: e.VerdictAtScan, Test: row.Scan.Test,
	}))
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
	case e.Finding != "":
		note = wire.Finding(e.Finding).Says()
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
