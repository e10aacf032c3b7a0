package wire_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/sync/wire"
)

// readClock returns the batch of testdata/clock.json, which a Python program
// wrote from FORMAT.md alone, after comparing every digest.
func readClock(t *testing.T) wire.Batch {
	t.Helper()
	raw, err := os.ReadFile("testdata/clock.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		ScannerID, BatchID, SentAt, ClockDigest, SignedMessage string
		Events                                                 []struct {
			Event  json.RawMessage
			Digest string
		}
	}
	if err := json.Unmarshal(raw, &v); err != nil || len(v.Events) != 2 {
		t.Fatalf("%d events, %v", len(v.Events), err)
	}
	events := make([]json.RawMessage, len(v.Events))
	for i, e := range v.Events {
		events[i] = e.Event
	}
	body, err := json.Marshal(map[string]any{"batchId": v.BatchID, "scannerId": v.ScannerID, "sentAt": v.SentAt, "items": []any{}, "clockEvents": events})
	if err != nil {
		t.Fatal(err)
	}
	b, err := wire.DecodeBatch(body)
	if err != nil || len(b.Clock) != len(events) || len(b.Ignored) > 0 {
		t.Fatalf("%+v, %v", b, err)
	}
	for i, e := range b.Clock {
		if d := e.Digest(); d.String() != v.Events[i].Digest {
			t.Errorf("event %d: digest %s, want %s", i, d, v.Events[i].Digest)
		}
	}
	if d := b.ClockDigest(); d.String() != v.ClockDigest {
		t.Errorf("digest of all %s, want %s", d, v.ClockDigest)
	}
	if m := wire.SignedMessage(b); hex.EncodeToString(m) != v.SignedMessage {
		t.Errorf("signed message %x, want %s", m, v.SignedMessage)
	}
	return b
}

func TestClockEvents(t *testing.T) {
	t.Parallel()
	b := readClock(t)
	raw, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := wire.DecodeBatch(raw)
	if err != nil {
		t.Fatal(err)
	}
	if b.Items, again.Items = nil, nil; cmp.Diff(b, again) != "" {
		t.Errorf("there and back:\n%s", cmp.Diff(b, again))
	}
	body := string(raw)
	replace := func(from, to string) string {
		if !strings.Contains(body, from) {
			t.Fatalf("no %s in %s", from, body)
		}
		return strings.Replace(body, from, to, 1)
	}
	for name, tt := range map[string]struct {
		body string
		want error
	}{
		"no events and no items": {body[:strings.Index(body, `,"clockEvents"`)] + "}", wire.ErrMissing},
		"no id":                  {replace(`"eventId":"01a20b46-e0a5-7e8b-9e7c-38a0e39eda11",`, ""), wire.ErrMissing},
		"an id twice":            {replace("eda12", "eda11"), wire.ErrDuplicate},
		"an id in capitals":      {replace("eda12", "EDA12"), wire.ErrValue},
		"another kind":           {replace("clock_confirmed", "clock_is_right"), wire.ErrValue},
		"no kind":                {replace(`"kind":"clock_confirmed",`, ""), wire.ErrMissing},
		"no time":                {replace(`"at":"1970-01-01T00:00:00.000Z",`, ""), wire.ErrMissing},
		"a fraction":             {replace(`"scans":3`, `"scans":3.5`), wire.ErrValue},
		"a name in another case": {replace(`"scans":3`, `"Scans":3`), wire.ErrNameCase},
		"a member twice":         {replace(`"scans":3`, `"scans":3,"scans":3`), wire.ErrDuplicate},
		"no list":                {replace(`"clockEvents":[`, `"clockEvents":{},"x":[`), wire.ErrType},
		"too many":               {replace(`"clockEvents":[`, `"clockEvents":[`+strings.Repeat("{},", wire.MaxClockEvents)), wire.ErrTooLarge},
	} {
		if _, err := wire.DecodeBatch([]byte(tt.body)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

// TestClockReceipt: a receipt covers all clock events of a batch or none.
func TestClockReceipt(t *testing.T) {
	t.Parallel()
	b := readClock(t)
	_, scans := readVectors(t)
	at := time.Date(2026, 11, 20, 19, 41, 0, 0, time.UTC)
	for name, batch := range map[string]wire.Batch{
		"events alone":     b,
		"scans and events": {ID: b.ID, ScannerID: scans.ScannerID, SentAt: b.SentAt, Items: scans.Items, Clock: b.Clock},
	} {
		rs := results(batch, []wire.ItemOutcome{wire.Accepted, wire.Rejected, wire.Duplicate, wire.Conflict}[:len(batch.Items)]...)
		r, ok := wire.NewReceipt(batch, rs, at)
		got, err := wire.ParseReceipt(r.Text())
		if !ok || err != nil || got != r || r.Clock != 2 || r.Results != len(rs) {
			t.Fatalf("%s: %+v, %v, %v", name, got, ok, err)
		}
		if err := got.Match(batch, rs); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for what, change := range map[string]func(b *wire.Batch){
			"fewer":          func(b *wire.Batch) { b.Clock = b.Clock[:1] },
			"none":           func(b *wire.Batch) { b.Clock = nil },
			"another order":  func(b *wire.Batch) { b.Clock = []wire.ClockEvent{b.Clock[1], b.Clock[0]} },
			"another number": func(b *wire.Batch) { b.Clock = []wire.ClockEvent{b.Clock[0], b.Clock[1]}; b.Clock[1].AfterSeq-- },
			"another date":   func(b *wire.Batch) { b.Clock = []wire.ClockEvent{b.Clock[0], b.Clock[1]}; b.Clock[0].Was = time.Time{} },
		} {
			other := batch
			change(&other)
			if err := got.Match(other, rs); !errors.Is(err, wire.ErrReceiptMismatch) {
				t.Errorf("%s: of %s events: %v", name, what, err)
			}
		}
		deaf := batch
		deaf.Clock = nil
		if r, ok := wire.NewReceipt(deaf, rs, at); ok != (len(rs) > 0) || ok && (r.Match(batch, rs) != nil || r.Clock != 0) {
			t.Errorf("%s: a receipt that says nothing of events: %+v, %v", name, r, ok)
		}
		text := string(r.Text())
		for what, bad := range map[string]string{
			"no events": strings.Replace(text, "clock 2 ", "clock 0 ", 1), "too many": strings.Replace(text, "clock 2 ", "clock 51 ", 1),
			"a zero first": strings.Replace(text, "clock 2 ", "clock 02 ", 1), "cut": strings.Replace(text, "clock 2 ", "clock 2", 1),
			"twice": strings.Replace(text, "time ", text[strings.Index(text, "clock"):strings.Index(text, "time ")]+"time ", 1),
		} {
			if _, err := wire.ParseReceipt([]byte(bad)); !errors.Is(err, wire.ErrReceipt) {
				t.Errorf("%s: line about %s: %v", name, what, err)
			}
		}
	}
}
