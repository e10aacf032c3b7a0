package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/trust"
	"tcode/scanner/answer"
	"tcode/sync/audit"
)

type auditCmd struct {
	evidenceFlags
	Problems bool `help:"List only problems, not every scan."`
}

func (c *auditCmd) Help() string {
	return `Reads the history and the gateway's signed receipts, without a network. For each scan it shows what the receipts prove:

  held         the gateway has it, and this is its answer
  refused      the gateway refused it permanently
  waiting      the gateway has not answered yet
  no_receipt   it left the queue, but no receipt that verifies covers it
  contradicts  a receipt differs from the history
  damaged      its row does not match its checksum
  lost         it was recorded, and damage destroyed it
  missing      its number was assigned, but there is no such row

The last five need a look, and so do clock events whose receipt is missing or is about others, receipts that do not verify or whose key no root names, and scans that only a receipt speaks of (the history is an older copy).

Nothing is changed: the files are copied first. An auditor needs no device key; give --root with the fingerprint that the gateway's operator tells, or the receipts are judged by the root that the scanner says it has pinned.

Exit codes: 0 nothing needs a look, 1 something does, 3 the history could not be read, 2 wrong use.`
}

// auditedScan is one scan in the answer of audit.
type auditedScan struct {
	ScanID        string         `json:"scanId"`
	Seq           uint64         `json:"seq"`
	ScannedAt     *time.Time     `json:"scannedAt"`
	File          string         `json:"file,omitempty"`
	Reference     string         `json:"reference,omitempty"`
	Offline       string         `json:"offlineVerdict,omitempty"`
	State         string         `json:"state,omitempty"`
	Standing      audit.Standing `json:"standing"`
	Reason        string         `json:"reason,omitempty"`
	Result        string         `json:"result,omitempty"` // as signed, like the next three
	Code          string         `json:"code,omitempty"`
	Verdict       string         `json:"gatewayVerdict,omitempty"`
	VerdictAtScan string         `json:"verdictAtScan,omitempty"`
	ReceiptAt     *time.Time     `json:"receiptAt"` // gateway clock
	Root          int            `json:"keyOfRoot,omitempty"`
}

func auditedOf(x audit.Scan) auditedScan {
	e := answer.EntryOf(x.Entry)
	v := auditedScan{
		ScanID: x.Entry.Scan.ScanID, Seq: x.Entry.Scan.Seq, File: e.File, Reference: e.Reference, Offline: e.OfflineVerdict, State: e.State,
		Standing: x.Standing, Reason: x.Reason, Result: string(x.Answer.Result), Code: x.Answer.Code,
		Verdict: x.Answer.Verdict, VerdictAtScan: x.Answer.VerdictAtScan, Root: x.Root,
	}
	if !e.ScannedAt.IsZero() {
		v.ScannedAt = &e.ScannedAt
	}
	if !x.At.IsZero() {
		v.ReceiptAt = &x.At
	}
	return v
}

func (v auditedScan) print(w io.Writer) {
	seq, scanned, said := "-", "-", ""
	if v.Seq > 0 {
		seq = fmt.Sprint(v.Seq)
	}
	if v.ScannedAt != nil {
		scanned = when(*v.ScannedAt)
	}
	if v.Result != "" {
		said = v.Result
		for _, word := range []string{v.Code, v.Verdict} {
			if word != "" {
				said += ", " + word
			}
		}
		if v.VerdictAtScan != v.Verdict {
			said += " (at the scan " + v.VerdictAtScan + ")"
		}
	}
	if v.Reason != "" {
		said = strings.TrimLeft(said+"; "+v.Reason, "; ")
	}
	line := fmt.Sprintf("%6s  %-36s  %-20s  %-11s  %s", seq, trust.Escape(v.ScanID), scanned, v.Standing, trust.Escape(said))
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

// auditedEvent is a clock event.
type auditedEvent struct {
	clockEvent
	Standing  audit.Standing `json:"standing"`
	Reason    string         `json:"reason,omitempty"`
	ReceiptAt time.Time      `json:"receiptAt,omitzero"` // gateway clock
	Root      int            `json:"keyOfRoot,omitempty"`
}

func (v auditedEvent) print(w io.Writer) {
	said := v.words()
	if v.Reason != "" {
		said += "; " + v.Reason
	}
	fmt.Fprintf(w, "%6s  %-36s  %-20s  %-11s  %s\n", "clock", trust.Escape(v.ID), when(v.At), v.Standing, trust.Escape(said))
}

// auditedReceipt is a receipt that proves nothing.
type auditedReceipt struct {
	Event    string    `json:"event"` // bad_receipt
	BatchID  string    `json:"batchId"`
	StoredAt time.Time `json:"storedAt,omitzero"`
	KeyKnown bool      `json:"keyKnown"`
	Reason   string    `json:"reason"`
}

// auditSummary is the last answer.
type auditSummary struct {
	Event     string                 `json:"event"` // summary
	ScannerID string                 `json:"scannerId"`
	Root      string                 `json:"root"` // fingerprint; empty: no keys were found
	LastSeq   uint64                 `json:"lastSeq"`
	Scans     map[audit.Standing]int `json:"scans"`
	Receipts  map[int]int            `json:"receiptsByRoot"`
	Bad       int                    `json:"badReceipts"`
	Strange   int                    `json:"notInHistory"`
	Events    map[audit.Standing]int `json:"clockEvents"`
	EventLost int                    `json:"clockEventsLost"`
	Damaged   string                 `json:"damaged,omitempty"`
	Problems  int                    `json:"problems"`
}

func (c *auditCmd) Run(ctx context.Context, a *app) error {
	e, err := c.open(ctx, a)
	if err != nil {
		return err
	}
	defer e.Close()
	sum, err := e.audit.Run(ctx, e.outbox, func(x audit.Scan) error {
		if c.Problems && !x.Standing.Problem() && x.Reason == "" {
			return nil
		}
		v := auditedOf(x)
		return a.out.Emit(v, v.print)
	}, func(x audit.Event) error {
		if c.Problems && !x.Standing.Problem() {
			return nil
		}
		v := auditedEvent{eventOf(x.ClockEvent), x.Standing, x.Reason, x.At, x.Root}
		return a.out.Emit(v, v.print)
	})
	if err != nil {
		return err
	}
	for _, bad := range e.audit.Bad() {
		v := auditedReceipt{"bad_receipt", bad.BatchID, bad.StoredAt, bad.KeyKnown, bad.Reason}
		err := a.out.Emit(v, func(w io.Writer) {
			fmt.Fprintf(w, "receipt of batch %s proves nothing: %s\n", cli.Printable(v.BatchID), cli.Printable(v.Reason))
		})
		if err != nil {
			return err
		}
	}
	v := auditSummary{
		Event: "summary", ScannerID: sum.ScannerID, LastSeq: sum.Last, Scans: sum.Scans, Receipts: sum.Receipts, Bad: sum.Bad,
		Strange: sum.Strange, Events: sum.Events, EventLost: sum.EventsLost, Damaged: sum.Damaged, Problems: sum.Problems(),
	}
	if len(e.keys) > 0 {
		v.Root = e.fingerprint.String()
	}
	if err := a.out.Emit(v, v.print); err != nil {
		return err
	}
	if v.Problems > 0 {
		return cli.Exit(cli.CodeFailed, nil)
	}
	return nil
}

func (v auditSummary) print(w io.Writer) {
	if v.Damaged != "" {
		fmt.Fprintf(w, "The file is damaged and was read page by page: %s\n", cli.Printable(v.Damaged))
	}
	if v.LastSeq == 0 && v.Problems+len(v.Events) == 0 {
		fmt.Fprintf(w, "Scanner %s has recorded no scan.\n", cli.Printable(orDash(v.ScannerID)))
		return
	}
	fmt.Fprintf(w, "Scanner %s, scans 1 to %d: the gateway holds %d and refused %d, %d are waiting.\n", cli.Printable(orDash(v.ScannerID)), v.LastSeq,
		v.Scans[audit.Held], v.Scans[audit.Refused], v.Scans[audit.Waiting])
	if len(v.Events)+v.EventLost > 0 {
		fmt.Fprintf(w, "Clock events: the gateway has %d, %d are waiting, %d need a look, %d are lost.\n", v.Events[audit.Held], v.Events[audit.Waiting],
			v.Events[audit.NoReceipt]+v.Events[audit.Contradicts], v.EventLost)
	}
	verified := 0
	for _, n := range v.Receipts {
		verified += n
	}
	if v.Root == "" {
		fmt.Fprintln(w, "No trust root was found, so no receipt can be verified: give --trust with a trust export file of the gateway.")
	} else {
		fmt.Fprintf(w, "%d receipts verify by the trust root %s, %d prove nothing.\n", verified, v.Root, v.Bad)
	}
	if v.Problems == 0 {
		fmt.Fprintln(w, "Nothing is missing, and nothing contradicts.")
		return
	}
	fmt.Fprintf(w, "%d need a look. Scans: %d without receipt, %d contradict, %d damaged, %d lost, %d missing, %d not in this history, %d bad receipts.\n",
		v.Problems, v.Scans[audit.NoReceipt], v.Scans[audit.Contradicts], v.Scans[audit.Damaged], v.Scans[audit.Lost], v.Scans[audit.Missing], v.Strange, v.Bad)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
