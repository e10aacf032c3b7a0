package mkvectors_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tcode/offline/trust"
	"tcode/sync/wire"
)

// receiptVector is a request and the reply to it, as a client sees them.
type receiptVector struct {
	Comment string `json:"comment"`
	Online  string `json:"online"`
	Body    string `json:"body"`
	Reply   string `json:"reply"`
	Want    string `json:"want"`
}

// answer is the client's conclusion from the reply.
func (v receiptVector) answer() string {
	b, err := wire.DecodeBatch([]byte(v.Body))
	if err != nil {
		return err.Error()
	}
	key, err := trust.ParseVerifierKey(v.Online)
	if err != nil {
		return err.Error()
	}
	online, err := key.NoteVerifier()
	if err != nil {
		return err.Error()
	}
	r, err := wire.DecodeReply([]byte(v.Reply))
	if err != nil {
		return "reply"
	}
	if r.Receipt == "" {
		return "none"
	}
	receipt, err := wire.OpenReceipt(r.Receipt, online)
	if err == nil {
		err = receipt.Match(b, r.Results)
	}
	switch {
	case errors.Is(err, wire.ErrReceipt):
		return "receipt"
	case errors.Is(err, wire.ErrReceiptMismatch):
		return "mismatch"
	case err != nil:
		return err.Error()
	}
	return "ok"
}

// answers are the results for the scans of the vectors.
func answers() []wire.ItemResult {
	return []wire.ItemResult{
		{ScanID: scans().Items[0].ScanID, Result: wire.Accepted, Verdict: "valid", VerdictAtScan: "valid", Reference: "TCR-RVZDZ0WQRCEVVGXR", Status: "Active"},
		{ScanID: scans().Items[1].ScanID, Result: wire.Accepted, Verdict: "revoked", VerdictAtScan: "valid", Changed: true, Reference: "TCR-0123456789ABCDEF", Status: "Revoked"},
	}
}

// exchange is a request with its reply that a case changes.
type exchange struct {
	batch    wire.Batch
	results  []wire.ItemResult
	told     []wire.ItemResult // in the reply, if they are others than those of the receipt
	of       func(b *wire.Batch)
	signer   *trust.Signer
	receipt  func(text string) string // before it is signed
	note     func(raw string) string  // after it
	reply    func(raw string) string
	noClocks bool // the receipt has no line of clock events
}

func receipts(made files) error {
	for _, c := range receiptCases() {
		same := func(s string) string { return s }
		x := exchange{batch: scans(), results: answers(), signer: trustSigner("online"), of: func(*wire.Batch) {}, receipt: same, note: same, reply: same}
		c.change(&x)
		v, err := x.vector()
		if err != nil {
			return fmt.Errorf("receipt-%s: %w", c.name, err)
		}
		v.Comment, v.Want = c.comment, c.want
		if got := v.answer(); got != c.want {
			return fmt.Errorf("receipt-%s: got %s, want %s", c.name, got, c.want)
		}
		if err := made.addJSON("receipt-"+c.name, v); err != nil {
			return err
		}
	}
	return nil
}

func (x exchange) vector() (receiptVector, error) {
	at := time.Date(2026, 6, 15, 12, 1, 0, 456e6, time.UTC)
	signed := x.batch
	signed.Items = slices.Clone(signed.Items)
	x.of(&signed)
	if x.noClocks {
		signed.Clock = nil
	}
	reply := wire.Reply{BatchID: x.batch.ID, ReceivedAt: at, Results: x.results}
	if x.told != nil {
		reply.Results = x.told
	}
	if r, ok := wire.NewReceipt(signed, x.results, at); ok {
		reply.Receipt = x.note(note(x.receipt(string(r.Text())), x.signer))
	}
	raw, err := reply.Encode()
	return receiptVector{Online: trustSigner("online").Key().String(), Body: body(x.batch), Reply: x.reply(string(raw))}, err
}

type receiptCase struct {
	name, comment, want string
	change              func(x *exchange)
}

func receiptCases() []receiptCase {
	told := func(change func(r []wire.ItemResult) []wire.ItemResult) func(x *exchange) {
		return func(x *exchange) { x.told = change(answers()) }
	}
	one := func(change func(r *wire.ItemResult)) func(x *exchange) {
		return told(func(r []wire.ItemResult) []wire.ItemResult { change(&r[1]); return r })
	}
	both := func(change func(r *wire.ItemResult)) func(x *exchange) {
		return func(x *exchange) { change(&x.results[1]) }
	}
	text := func(from, to string) func(x *exchange) {
		return func(x *exchange) {
			x.receipt = func(s string) string { return strings.Replace(s, from, to, 1) }
		}
	}
	reply := func(from, to string) func(x *exchange) {
		return func(x *exchange) {
			x.reply = func(s string) string { return strings.Replace(s, from, to, 1) }
		}
	}
	sent := func(change func(b *wire.Batch)) func(x *exchange) { return func(x *exchange) { x.of = change } }
	digest := func() string {
		d := scans().Digest()
		return hex.EncodeToString(d[:])
	}()
	id, event := scans().ID, "01a20b46-e0a5-7e8b-9e7c-38a0e39eda13"
	return []receiptCase{
		{"ok-example", "both scans are accepted", "ok", func(*exchange) {}},
		{"ok-order", "results in another order", "ok", told(func(r []wire.ItemResult) []wire.ItemResult { return []wire.ItemResult{r[1], r[0]} })},
		{"ok-duplicate", "a duplicate and a conflict are held", "ok", func(x *exchange) { x.results[0].Result, x.results[1].Result = wire.Duplicate, wire.Conflict }},
		{"ok-rejected", "one is rejected: answered, not held", "ok", both(func(r *wire.ItemResult) {
			*r = wire.ItemResult{ScanID: r.ScanID, Result: wire.Rejected, Code: "INVALID_PAYLOAD"}
		})},
		{"ok-retry", "one is to be sent again: answered, not held", "ok", both(func(r *wire.ItemResult) {
			*r = wire.ItemResult{ScanID: r.ScanID, Result: wire.Retry, Code: "SCAN_BUDGET_EXHAUSTED"}
		})},
		{"ok-one-answered", "one is not answered", "ok", func(x *exchange) { x.results = x.results[:1] }},
		{"ok-all-rejected", "none is held", "ok", func(x *exchange) {
			for i := range x.results {
				x.results[i] = wire.ItemResult{ScanID: x.results[i].ScanID, Result: wire.Rejected, Code: "INVALID_PAYLOAD"}
			}
		}},
		{"ok-uncovered", "message, reference, status and changed are not covered", "ok", one(func(r *wire.ItemResult) { r.Message, r.Reference, r.Status, r.Changed = "x", "y", "z", false })},
		{"ok-unknown", "members that are not known", "ok", reply(`"receipt"`, `"more":[1],"receipt"`)},
		{"ok-witness", "a line of a witness in the receipt", "ok", func(x *exchange) { x.note = func(s string) string { return s + witness("w", 60) } }},
		{"ok-clock", "clock events alone", "ok", func(x *exchange) { x.batch.Items, x.batch.Clock, x.results = nil, clockEvents(), nil }},
		{"ok-clock-scans", "clock events with scans", "ok", func(x *exchange) { x.batch.Clock = clockEvents() }},
		{"ok-clock-not-held", "a receipt that says nothing of the clock events", "ok", func(x *exchange) { x.batch.Clock, x.noClocks = clockEvents(), true }},
		{"none", "no receipt: nothing is proven", "none", func(x *exchange) { x.reply = func(s string) string { return cutReceipt(s) } }},
		{"signature", "signed by another key", "receipt", func(x *exchange) { x.signer = trustSigner("root-a") }},
		{"signature-bit", "the text changed after it was signed", "receipt", func(x *exchange) {
			x.note = func(s string) string { return strings.Replace(s, "items 2", "items 1", 1) }
		}},
		{"type", "another first line", "receipt", text("tcode-receipt/1", "tcode-receipt/2")},
		{"line-more", "a line more", "receipt", text("items 2\n", "items 2\nmore 1\n")},
		{"lines-order", "last-seq before items", "receipt", text("items 2\nlast-seq 41\n", "last-seq 41\nitems 2\n")},
		{"zero-first", "a zero before a number", "receipt", text("items 2", "items 02")},
		{"upper-digest", "a digest in upper case", "receipt", text(digest, strings.ToUpper(digest))},
		{"time", "a time without decimals", "receipt", text("12:01:00.456Z", "12:01:00Z")},
		{"no-results", "results 0 without clock events", "receipt", text("results 2", "results 0")},
		{"more-items", "more items than results", "receipt", text("items 2", "items 3")},
		{"scanner", "of another scanner", "mismatch", text(scans().ScannerID, "gate4")},
		{"batch-id", "of another batch: an old receipt for the same scans", "mismatch", text(id, "7d0c2a1e-35a4-4b0f-9a53-3c9de6a1f7b3")},
		{"digest", "of another item", "mismatch", sent(func(b *wire.Batch) { b.Items[1].Reference = "TCR-0000000000000000" })},
		{"items", "a wrong count of items", "mismatch", text("items 2", "items 1")},
		{"last-seq", "a wrong last number", "mismatch", text("last-seq 41", "last-seq 40")},
		{"result", "the reply says accepted, the receipt duplicate", "mismatch", func(x *exchange) { x.results[1].Result = wire.Duplicate; x.told = answers() }},
		{"verdict", "the reply says another verdict", "mismatch", one(func(r *wire.ItemResult) { r.Verdict = "valid" })},
		{"verdict-at-scan", "the reply says another verdict as of the scan", "mismatch", one(func(r *wire.ItemResult) { r.VerdictAtScan = "revoked" })},
		{"code", "the reply says another code", "mismatch", one(func(r *wire.ItemResult) { r.Code = "X" })},
		{"result-more", "the reply leaves a result out", "mismatch", told(func(r []wire.ItemResult) []wire.ItemResult { return r[:1] })},
		{"clock-other", "of other clock events", "mismatch", func(x *exchange) {
			x.batch.Clock = clockEvents()
			x.of = func(b *wire.Batch) { b.Clock = clockEvents(); b.Clock[1].ID = event }
		}},
		{"clock-fewer", "of one of two clock events", "mismatch", func(x *exchange) {
			x.batch.Clock = clockEvents()
			x.of = func(b *wire.Batch) { b.Clock = b.Clock[:1] }
		}},
		{"reply-word", "a result that is no word of the list", "reply", reply(`"result":"accepted"`, `"result":"stored"`)},
		{"reply-twice", "a scan is answered twice", "reply", told(func(r []wire.ItemResult) []wire.ItemResult { return []wire.ItemResult{r[0], r[0]} })},
		{"reply-member-twice", "a member twice", "reply", reply(`"receivedAt"`, `"batchId":"x","receivedAt"`)},
		{"reply-data", "no data", "reply", reply(`"data"`, `"Data"`)},
		{"reply-html", "the page of a captive portal", "reply", func(x *exchange) { x.reply = func(string) string { return "<html></html>" } }},
	}
}

// cutReceipt has a reply say null for its receipt.
func cutReceipt(reply string) string {
	at := strings.Index(reply, `"receipt":"`)
	end := at + len(`"receipt":"`) + strings.Index(reply[at+len(`"receipt":"`):], `"`)
	return reply[:at] + `"receipt":null` + reply[end+1:]
}
