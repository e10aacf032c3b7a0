package door

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"tcode/offline"
	"tcode/offline/cell"
	"tcode/offline/jsontext"
	"tcode/scanner/answer"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

const (
	fewEntries  = 50  // of a page of the history, by default
	mostEntries = 500 // and at most
	atOnce      = 200 // rows that are read at a time
	maxRemark   = 500 // characters
)

// A Counts is the number of scans in each state, and by their verdict.
type Counts struct {
	Queued    int            `json:"queued"`
	Inflight  int            `json:"inflight"`
	Done      int            `json:"done"`
	Dead      int            `json:"dead"`
	Conflicts int            `json:"conflicts"`
	Changed   int            `json:"changed"`
	Lost      int            `json:"lost"` // by damage
	Waiting   int            `json:"waiting"`
	Oldest    time.Time      `json:"oldest,omitzero"` // of those that wait
	SentAt    time.Time      `json:"sentAt,omitzero"` // of the newest receipt, by the device's clock
	Verdicts  map[string]int `json:"verdicts"`
}

// counts counts the history.
func (p *phone) counts(ctx context.Context) (c Counts, err error) {
	err = p.scans.Do(ctx, func(b *outbox.Book) error {
		n, err := b.Counts(ctx)
		if err != nil {
			return err
		}
		c = Counts{
			Queued: n.Queued, Inflight: n.Inflight, Done: n.Done, Dead: n.Dead, Conflicts: n.Conflicts, Changed: n.Changed,
			Waiting: n.Queued + n.Inflight, Oldest: n.Oldest,
		}
		if c.Verdicts, err = b.Verdicts(ctx); err != nil {
			return err
		}
		if c.SentAt, err = b.LastReceipt(ctx); err != nil {
			return err
		}
		repairs, err := b.Repairs(ctx)
		for _, r := range repairs {
			if !r.Seen {
				c.Lost += r.Lost
			}
		}
		return err
	})
	return c, err
}

// A filter selects entries.
type filter struct {
	State   string    `json:"state"`
	Verdict string    `json:"verdict"`
	Search  string    `json:"search"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Before  uint64    `json:"before"`
	Limit   int       `json:"limit"`
}

// An Entry is one scan of the history, as the page shows it.
type Entry struct {
	answer.Entry
	Location  string    `json:"location,omitempty"`
	Note      string    `json:"note,omitempty"` // as sent
	Latitude  *float64  `json:"latitude,omitempty"`
	Longitude *float64  `json:"longitude,omitempty"`
	Remark    string    `json:"remark,omitempty"` // only on this device
	NextAt    time.Time `json:"nextAt,omitzero"`
	Headline  string    `json:"headline"`
	Stale     bool      `json:"stale,omitempty"`
	Payload   string    `json:"payload,omitempty"` // Base64, in exports
}

// entryOf returns the entry of a row.
func (p *phone) entryOf(row outbox.Entry) Entry {
	e := Entry{
		Entry: answer.EntryOf(row), Location: row.Scan.Context.Location, Note: row.Scan.Context.Note,
		Remark: p.notes.Remark(row.Scan.ScanID), Stale: row.Scan.Stale,
	}
	if c := row.Scan.Context; c.Coordinates {
		lat, long := float64(c.LatitudeE6)/1e6, float64(c.LongitudeE6)/1e6
		e.Latitude, e.Longitude = &lat, &long
	}
	if row.State == outbox.Queued {
		e.NextAt = row.NextAt
	}
	e.Headline = p.headline(row)
	return e
}

// headline returns the headline of the answer as it was shown. If it is not kept any more, the row gives one that claims
// no more than the row knows.
func (p *phone) headline(row outbox.Entry) string {
	if kept, ok := p.kept(row.Scan.ScanID); ok {
		return kept.Headline
	}
	f := answer.Finding{Page: 1}
	f.Result.Verdict = offline.Verdict(row.Scan.Verdict)
	if row.Damaged {
		f.Result.Verdict = offline.Unverified
	}
	return f.Headline().Code
}

// kept returns the screen of a scan's answer as it was shown.
func (p *phone) kept(scanID string) (s answer.Screen, ok bool) {
	var all struct {
		Findings []struct{ ScanID string }
		Screens  []answer.Screen
	}
	raw := p.notes.Answer(scanID)
	if raw == nil || json.Unmarshal(raw, &all) != nil || len(all.Findings) != len(all.Screens) {
		return s, false
	}
	for i, f := range all.Findings {
		if f.ScanID == scanID {
			return all.Screens[i], true
		}
	}
	return s, false
}

// has reports whether an entry fits the filter.
func (f *filter) has(e *Entry) bool {
	if f.Verdict != "" && e.Verdict != f.Verdict || !f.From.IsZero() && e.ScannedAt.Before(f.From) || !f.To.IsZero() && !e.ScannedAt.Before(f.To) {
		return false
	}
	if f.Search == "" {
		return true
	}
	want := strings.ToLower(f.Search)
	for _, text := range []string{e.Reference, e.File, e.Location, e.Note, e.Remark, e.ScanID} {
		if strings.Contains(strings.ToLower(text), want) {
			return true
		}
	}
	return false
}

// each calls fn with the entries that fit, newest first, until it returns false.
func (p *phone) each(ctx context.Context, f filter, fn func(outbox.Entry, Entry) bool) error {
	switch outbox.State(f.State) {
	case "", outbox.Queued, outbox.Inflight, outbox.Done, outbox.Dead:
	default:
		return &Failure{Code: "request", Message: "no such state"}
	}
	for before := f.Before; ; {
		var rows []outbox.Entry
		err := p.scans.Do(ctx, func(b *outbox.Book) (err error) {
			rows, err = b.History(ctx, outbox.Filter{State: outbox.State(f.State), Before: before, Limit: atOnce})
			return err
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			before = row.Scan.Seq
			if e := p.entryOf(row); f.has(&e) && !fn(row, e) {
				return nil
			}
		}
	}
}

// A Page is a part of the history.
type Page struct {
	Entries []Entry `json:"entries"` // newest first
	More    bool    `json:"more"`
}

func (p *phone) history(ctx context.Context, f filter) (any, error) {
	if f.Limit == 0 {
		f.Limit = fewEntries
	}
	if f.Limit < 1 || f.Limit > mostEntries {
		return nil, &Failure{Code: "request", Message: "limit is 1 to 500"}
	}
	page := Page{Entries: []Entry{}}
	err := p.each(ctx, f, func(_ outbox.Entry, e Entry) bool {
		if page.More = len(page.Entries) == f.Limit; !page.More {
			page.Entries = append(page.Entries, e)
		}
		return !page.More
	})
	return page, err
}

// A Gateway is the gateway's word about a scan.
type Gateway struct {
	Verdict       string    `json:"verdict,omitempty"`
	VerdictAtScan string    `json:"verdictAtScan,omitempty"`
	Finding       string    `json:"finding,omitempty"`
	FindingText   string    `json:"findingText,omitempty"`
	ReceivedAt    time.Time `json:"receivedAt,omitzero"` // gateway clock
	Receipt       string    `json:"receipt,omitempty"`   // signed note
}

// A Detail is all about one scan.
type Detail struct {
	Entry   Entry           `json:"entry"`
	Answer  json.RawMessage `json:"answer"` // as it was shown; null: it is not kept any more
	Gateway *Gateway        `json:"gateway"`
}

func (p *phone) row(ctx context.Context, scanID string) (row outbox.Entry, err error) {
	err = p.scans.Do(ctx, func(b *outbox.Book) (err error) {
		row, err = b.Get(ctx, scanID)
		return err
	})
	return row, err
}

func (p *phone) entry(ctx context.Context, scanID string) (any, error) {
	row, err := p.row(ctx, scanID)
	if err != nil {
		return nil, err
	}
	d := Detail{Entry: p.entryOf(row), Answer: p.notes.Answer(scanID)}
	if row.State != outbox.Done {
		return d, nil
	}
	d.Gateway = &Gateway{
		Verdict: d.Entry.GatewayVerdict, VerdictAtScan: d.Entry.VerdictAtScan, Finding: d.Entry.Finding, ReceivedAt: row.ReceivedAt,
	}
	if d.Gateway.Finding != "" {
		d.Gateway.FindingText = wire.Finding(d.Gateway.Finding).Says()
	}
	err = p.scans.Do(ctx, func(b *outbox.Book) error {
		receipts, err := b.Receipts(ctx, row.ReceiptID-1, 1)
		if len(receipts) == 1 && receipts[0].ID == row.ReceiptID {
			d.Gateway.Receipt = receipts[0].Note
		}
		return err
	})
	return d, err
}

// annotate stores a remark.
func (p *phone) annotate(ctx context.Context, scanID, remark string) (any, error) {
	if len([]rune(remark)) > maxRemark {
		return nil, &Failure{Code: "request", Message: "a remark has at most 500 characters"}
	}
	if _, err := p.row(ctx, scanID); err != nil {
		return nil, err
	}
	return struct{}{}, p.notes.SetRemark(ctx, scanID, remark)
}

// columns are those of a history as CSV.
var columns = []string{
	"scanId", "scannedAt", "verdict", "offlineVerdict", "gatewayVerdict", "state", "reference", "file", "page", "location", "latitude", "longitude",
	"note", "remark", "code", "message", "trustVersion", "payload",
}

// exportHistory writes the history as a file, also what waits.
func (p *phone) exportHistory(ctx context.Context, format, state string) (any, error) {
	var file bytes.Buffer
	export := Export{Name: "tcode-scans-" + p.door.cfg.Now().UTC().Format("20060102-150405"), Type: "application/jsonl"}
	var failed error
	lines, table := jsontext.Encoder(&file), cell.NewWriter(&file, 0)
	switch format {
	case "", "jsonl":
		export.Name += ".jsonl"
	case "csv":
		export.Name, export.Type = export.Name+".csv", "text/csv"
		failed = table.Write(columns)
	default:
		return nil, &Failure{Code: "request", Message: "format is jsonl or csv"}
	}
	err := p.each(ctx, filter{State: state}, func(row outbox.Entry, e Entry) bool {
		export.Entries++
		e.Payload = base64.StdEncoding.EncodeToString(row.Scan.Payload)
		if format == "csv" {
			failed = errors.Join(failed, table.Write(e.cells()))
		} else {
			failed = errors.Join(failed, lines.Encode(e))
		}
		return failed == nil
	})
	err = errors.Join(err, failed, table.Flush())
	export.bytes = file.Bytes()
	return export, err
}

// cells are the values of the columns.
func (e Entry) cells() []string {
	degrees := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'f', 6, 64)
	}
	return []string{
		e.ScanID, e.ScannedAt.UTC().Format(time.RFC3339), e.Verdict, e.OfflineVerdict, e.GatewayVerdict, e.State, e.Reference, e.File, strconv.Itoa(e.Page),
		e.Location, degrees(e.Latitude), degrees(e.Longitude), e.Note, e.Remark, e.Code, e.Message, strconv.FormatUint(e.TrustVersion, 10), e.Payload,
	}
}
