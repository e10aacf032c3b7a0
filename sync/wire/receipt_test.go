package wire_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/trust"
	"tcode/sync/wire"
)

func signer(t *testing.T, seed byte) *trust.Signer {
	t.Helper()
	s, err := trust.NewSigner("gate.example/online", ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func results(b wire.Batch, words ...wire.ItemOutcome) []wire.ItemResult {
	var rs []wire.ItemResult
	for i, w := range words {
		rs = append(rs, wire.ItemResult{ScanID: b.Items[i].ScanID, Result: w})
	}
	return rs
}

func TestReceipt(t *testing.T) {
	t.Parallel()
	_, b := readVectors(t)
	rs := results(b, wire.Accepted, wire.Rejected, wire.Duplicate, wire.Conflict)
	at := time.Date(2026, 11, 20, 19, 41, 0, 123456789, time.UTC)
	r, ok := wire.NewReceipt(b, rs, at)
	if !ok || r.Count != 3 || r.LastSeq != wire.MaxInteger || !r.Time.Equal(at.Truncate(time.Millisecond)) {
		t.Fatalf("NewReceipt = %+v, %v", r, ok)
	}
	online := signer(t, 1)
	raw, err := wire.SignReceipt(r, online)
	if err != nil {
		t.Fatal(err)
	}
	v, err := online.Key().NoteVerifier()
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.OpenReceipt(raw, v)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r, got); d != "" {
		t.Errorf("receipt (-want +got):\n%s", d)
	}
	// The order of the results does not matter.
	rs[0], rs[3] = rs[3], rs[0]
	if err := got.Match(b, rs); err != nil {
		t.Errorf("Match = %v", err)
	}
	changes := map[string]func(b *wire.Batch, rs []wire.ItemResult){
		"other verdict":      func(_ *wire.Batch, rs []wire.ItemResult) { rs[0].Verdict = "valid" },
		"other verdict then": func(_ *wire.Batch, rs []wire.ItemResult) { rs[0].VerdictAtScan = "valid" },
		"other code":         func(_ *wire.Batch, rs []wire.ItemResult) { rs[1].Code = "X" },
		"rejected kept back": func(_ *wire.Batch, rs []wire.ItemResult) { rs[1].ScanID = "another" },
		"one held less":      func(_ *wire.Batch, rs []wire.ItemResult) { rs[0].Result = wire.Retry },
		"one held more":      func(_ *wire.Batch, rs []wire.ItemResult) { rs[1].Result = wire.Accepted },
		"other content":      func(b *wire.Batch, _ []wire.ItemResult) { b.Items[0].Context.Note = "" },
		"other request":      func(b *wire.Batch, _ []wire.ItemResult) { b.ID = "another" },
		"other scanner":      func(b *wire.Batch, _ []wire.ItemResult) { b.ScannerID = "me" },
	}
	for name, change := range changes {
		b2, rs2 := b, append([]wire.ItemResult(nil), rs...)
		b2.Items = append([]wire.Item(nil), b.Items...)
		change(&b2, rs2)
		if err := got.Match(b2, rs2); !errors.Is(err, wire.ErrReceiptMismatch) {
			t.Errorf("%s: Match = %v, want ErrReceiptMismatch", name, err)
		}
	}
	foreign, err := signer(t, 2).Key().NoteVerifier()
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"changed": strings.Replace(raw, "items 3", "items 4", 1), "empty": "", "unsigned": string(r.Text()),
		"long": raw + strings.Repeat("x", wire.MaxReceiptBytes),
	} {
		if _, err := wire.OpenReceipt(bad, v); !errors.Is(err, wire.ErrReceipt) {
			t.Errorf("%s: OpenReceipt = %v, want ErrReceipt", name, err)
		}
	}
	if _, err := wire.OpenReceipt(raw, foreign); !errors.Is(err, wire.ErrReceipt) {
		t.Errorf("another key: OpenReceipt = %v, want ErrReceipt", err)
	}
	if r, ok := wire.NewReceipt(b, results(b, wire.Rejected), at); !ok || r.Count != 0 || r.Results != 1 {
		t.Errorf("a rejection has no receipt: %+v", r)
	}
	if _, ok := wire.NewReceipt(b, nil, at); ok {
		t.Error("a receipt for nothing")
	}
}

func TestReplyRoundTrip(t *testing.T) {
	t.Parallel()
	want := wire.Reply{
		BatchID: "b", ReceivedAt: time.Date(2026, 11, 20, 19, 41, 0, 5e6, time.UTC), Receipt: "note\n",
		Results: []wire.ItemResult{
			{ScanID: "a", Result: wire.Accepted, Verdict: "revoked", VerdictAtScan: "valid", Changed: true, Reference: "TCR-1", Status: "Revoked"},
			{ScanID: "b", Result: wire.Rejected, Code: "INVALID_PAYLOAD", Message: "no"},
		},
	}
	raw, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.DecodeReply(raw)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("reply (-want +got):\n%s", d)
	}
	r, ok := got.Result("b")
	if !ok || r.Code != "INVALID_PAYLOAD" {
		t.Errorf("Result = %+v, %v", r, ok)
	}
}

func TestDecodeReplyRefuses(t *testing.T) {
	t.Parallel()
	head := `{"data":{"batchId":"b","receivedAt":"2026-11-20T19:41:00Z","results":[`
	one := `{"scanId":"a","result":"accepted","changed":false}`
	for name, raw := range map[string]string{
		"login page":      `<html>`,
		"no data":         `{"batchId":"b"}`,
		"cut short":       head + one,
		"one scan twice":  head + one + "," + one + "]}}",
		"unknown word":    head + strings.Replace(one, "accepted", "perhaps", 1) + "]}}",
		"no scan id":      head + `{"result":"accepted"}]}}`,
		"results missing": `{"data":{"batchId":"b","receivedAt":"2026-11-20T19:41:00Z"}}`,
	} {
		if _, err := wire.DecodeReply([]byte(raw)); !errors.Is(err, wire.ErrReply) {
			t.Errorf("%s: DecodeReply = %v, want ErrReply", name, err)
		}
	}
	// Additions of a newer gateway are no reason to send again.
	later := head + strings.Replace(one, "{", `{"score":{"x":[1]},`, 1) + `],"next":"x"},"meta":1}`
	if _, err := wire.DecodeReply([]byte(later)); err != nil {
		t.Errorf("reply with more members: %v", err)
	}
}
