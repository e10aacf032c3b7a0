package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline"
	"tcode/offline/cell"
	"tcode/offline/trust"
	"tcode/scanner/answer"
	"tcode/sync/audit"
)

type reportCmd struct {
	evidenceFlags
	Since string `help:"Only scans from this time on: 2026-11-20, a time such as 2026-11-20T19:31:00Z, or an age such as 72h." placeholder:"TIME"`
	Until string `help:"Only scans before this time, in the same forms. A day is not included." placeholder:"TIME"`
	CSV   bool   `name:"csv" help:"Print a table for spreadsheets, with a header."`
}

func (c *reportCmd) Help() string {
	return `The regret report: scans that this device accepted offline as valid although the document was revoked already, according to the gateway's later answer. For each scan it shows the age of the status that the device used, the clock, the place, and whether a receipt proves the gateway's answer.

Scans that the gateway has not answered yet are counted, not judged: sync first.

Exit codes: 0 there is none, 1 there are some, 3 the history could not be read, 2 wrong use.`
}

// A regret is one scan of the report.
type regret struct {
	ScanID        string    `json:"scanId"`
	Seq           uint64    `json:"seq"`
	ScannerID     string    `json:"scannerId"`
	ScannedAt     time.Time `json:"scannedAt"`
	Basis         string    `json:"basis"` // where scannedAt comes from: proven or device_clock
	File          string    `json:"file,omitempty"`
	Page          int       `json:"page,omitempty"`
	Reference     string    `json:"reference,omitempty"`
	Location      string    `json:"location,omitempty"`
	Note          string    `json:"note,omitempty"`
	Offline       string    `json:"offlineVerdict"`
	VerdictAtScan string    `json:"verdictAtScan"`  // the gateway's
	Verdict       string    `json:"gatewayVerdict"` // at its answer
	StatusAsOf    time.Time `json:"statusAsOf,omitzero"`
	AgeSeconds    *int64    `json:"statusAgeSeconds"` // at the scan; null: unknown
	Stale         bool      `json:"stale"`            // and the device said so
	Proven        bool      `json:"receipt"`          // a receipt proves the gateway's answer
}

// reportSummary is the last answer.
type reportSummary struct {
	Event     string `json:"event"` // summary
	ScannerID string `json:"scannerId"`
	Scans     int    `json:"scans"`    // in the period
	Accepted  int    `json:"accepted"` // offline, as valid
	Regrets   int    `json:"regrets"`
	Unproven  int    `json:"unproven"` // of the regrets: those without a receipt as proof
	Waiting   int    `json:"waiting"`  // accepted, but not answered yet
	Unread    int    `json:"unread"`   // damaged, lost or missing
}

func (c *reportCmd) Run(ctx context.Context, a *app) error {
	now := time.Now()
	since, err := pointInTime("--since", c.Since, now)
	if err != nil {
		return err
	}
	until, err := pointInTime("--until", c.Until, now)
	if err != nil {
		return err
	}
	if c.CSV && a.out.JSON {
		return cli.Usage("--csv and --json exclude each other")
	}
	e, err := c.open(ctx, a)
	if err != nil {
		return err
	}
	defer e.Close()
	show, flush := c.printer(a)
	sum := reportSummary{Event: "summary", ScannerID: e.audit.ScannerID()}
	_, err = e.audit.Run(ctx, e.outbox, func(x audit.Scan) error {
		at := x.Entry.Scan.ScannedAt
		switch {
		case x.Entry.Scan.Seq == 0: // not in this history
			return nil
		case at.IsZero() || x.Entry.Damaged:
			sum.Unread++
			return nil
		case !since.IsZero() && at.Before(since), !until.IsZero() && !at.Before(until):
			return nil
		}
		return sum.add(x, show)
	}, nil)
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	if c.CSV {
		sum.print(a.std.Err)
	} else if err := a.out.Emit(sum, sum.print); err != nil {
		return err
	}
	if sum.Regrets > 0 {
		return cli.Exit(cli.CodeFailed, nil)
	}
	return nil
}

// add counts a scan and shows it if it is a regret. A receipt outranks the row.
func (s *reportSummary) add(x audit.Scan, show func(regret) error) error {
	e := answer.EntryOf(x.Entry)
	s.Scans++
	if e.OfflineVerdict != string(offline.Valid) {
		return nil
	}
	s.Accepted++
	if x.Answer.Result != "" {
		e.VerdictAtScan, e.GatewayVerdict = x.Answer.VerdictAtScan, x.Answer.Verdict
	}
	if x.Standing == audit.Waiting {
		s.Waiting++
		return nil
	}
	switch offline.Verdict(e.VerdictAtScan) {
	case offline.Revoked, offline.Expired, offline.Suspended, offline.NotFound:
	default:
		return nil
	}
	r := regret{
		ScanID: e.ScanID, Seq: e.Seq, ScannerID: s.ScannerID, ScannedAt: e.ScannedAt, Basis: e.Basis, File: e.File, Page: e.Page,
		Reference: e.Reference, Location: x.Entry.Scan.Context.Location, Note: x.Entry.Scan.Context.Note, Offline: e.OfflineVerdict,
		VerdictAtScan: e.VerdictAtScan, Verdict: e.GatewayVerdict, StatusAsOf: x.Entry.Scan.StatusAsOf, Stale: x.Entry.Scan.Stale, Proven: x.Root > 0,
	}
	if !r.StatusAsOf.IsZero() && !x.Entry.Ahead && !r.ScannedAt.Before(r.StatusAsOf) {
		age := int64(r.ScannedAt.Sub(r.StatusAsOf) / time.Second)
		r.AgeSeconds = &age
	}
	s.Regrets++
	if !r.Proven {
		s.Unproven++
	}
	return show(r)
}

// printer returns the functions that print regrets in the requested form.
func (c *reportCmd) printer(a *app) (show func(regret) error, flush func() error) {
	if !c.CSV {
		return func(r regret) error { return a.out.Emit(r, r.print) }, func() error { return nil }
	}
	w := cell.NewWriter(a.out.W, 0)
	_ = w.Write([]string{
		"scanId", "seq", "scannerId", "scannedAt", "basis", "file", "page", "reference", "location", "note", "offlineVerdict", "verdictAtScan",
		"gatewayVerdict", "statusAsOf", "statusAgeSeconds", "stale", "receipt",
	}) // for flush
	return func(r regret) error { return w.Write(r.cells()) }, w.Flush
}

func (r regret) cells() []string {
	age, status := "", ""
	if r.AgeSeconds != nil {
		age = strconv.FormatInt(*r.AgeSeconds, 10)
	}
	if !r.StatusAsOf.IsZero() {
		status = r.StatusAsOf.Format(time.RFC3339)
	}
	return []string{
		r.ScanID, strconv.FormatUint(r.Seq, 10), r.ScannerID, r.ScannedAt.Format("2006-01-02T15:04:05.000Z07:00"), r.Basis, r.File, strconv.Itoa(r.Page),
		r.Reference, r.Location, r.Note, r.Offline, r.VerdictAtScan, r.Verdict, status, age, strconv.FormatBool(r.Stale), strconv.FormatBool(r.Proven),
	}
}

func (r regret) print(w io.Writer) {
	age := "by a status of unknown age"
	if r.AgeSeconds != nil {
		age = "by a status " + span(time.Duration(*r.AgeSeconds)*time.Second) + " old"
	}
	if r.Stale {
		age += ", shown as stale"
	}
	fmt.Fprintf(w, "%s  %s  %s\n", when(r.ScannedAt), trust.Escape(orDash(r.Reference)), escapePath(orDash(r.File)))
	fmt.Fprintf(w, "   accepted offline %s; %s then by the gateway", age, trust.Escape(r.VerdictAtScan))
	if r.Verdict != r.VerdictAtScan {
		fmt.Fprintf(w, ", %s when it answered", trust.Escape(r.Verdict))
	}
	if !r.Proven {
		fmt.Fprint(w, "; no receipt proves that")
	}
	fmt.Fprintln(w)
	if r.Location+r.Note != "" {
		fmt.Fprintf(w, "   %s\n", trust.Escape(strings.Trim(r.Location+", "+r.Note, ", ")))
	}
}

// span returns a length of time for people.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

func (s reportSummary) print(w io.Writer) {
	fmt.Fprintf(w, "%d scans, %d accepted offline: %d of them were revoked already", s.Scans, s.Accepted, s.Regrets)
	if s.Unproven > 0 {
		fmt.Fprintf(w, " (%d without a receipt)", s.Unproven)
	}
	fmt.Fprintf(w, ", %d are not answered yet\n", s.Waiting)
	if s.Unread > 0 {
		fmt.Fprintf(w, "%d scans are damaged, lost or missing: see tcode-scan audit\n", s.Unread)
	}
}

// pointInTime reads a day, a time or an age.
func pointInTime(flag, s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, s); err == nil {
			return t, nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, cli.Usage("%s: %q is not a time: give 2026-11-20, 2026-11-20T19:31:00Z or 72h", flag, s)
}
