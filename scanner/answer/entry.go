package answer

import (
	"time"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// An Entry is one scan of the history, with the verdicts of device and gateway.
type Entry struct {
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

// EntryOf returns the entry of a row.
func EntryOf(row outbox.Entry) Entry {
	e := Entry{
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
