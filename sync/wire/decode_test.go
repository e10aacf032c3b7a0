package wire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/sync/wire"
)

const scanID = "01936f3c-5c3a-7d2b-9f10-3b6c2d1e0f11"

// item returns an item's JSON with extra members.
func item(id, extra string) string {
	return fmt.Sprintf(`{"scanId":%q,"scannedAt":"2026-11-20T19:31:23Z","payload":"NAAA"%s}`, id, extra)
}

// ok returns a good body around items.
func ok(items ...string) string {
	return `{"batchId":"b-1","scannerId":"gate4@x","sentAt":"2026-11-20T19:40:00Z","items":[` + strings.Join(items, ",") + `]}`
}

func TestDecodeBatch(t *testing.T) {
	t.Parallel()
	raw := ok(`{"scanId":"` + scanID + `","seq":7,"payload":"1xEA","scannedAt":"2026-11-20T20:31:23.98765+01:00",
		"offlineVerdict":"valid","assurance":"signature_and_status","binding":"appended","trustVersion":1795548000,
		"context":{"location":"Gate é","latitudeE6":-1,"longitudeE6":180000000,"note":null,"wind":3},"mood":[{"a":1}]}`)
	got, err := wire.DecodeBatch([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	want := wire.Batch{
		ID: "b-1", ScannerID: "gate4@x", SentAt: time.Date(2026, 11, 20, 19, 40, 0, 0, time.UTC),
		Items: []wire.Item{{
			ScanID: scanID, Seq: 7, Payload: "1xEA", ScannedAt: time.Date(2026, 11, 20, 19, 31, 23, 987e6, time.UTC),
			OfflineVerdict: "valid", Assurance: "signature_and_status", Binding: "appended", TrustVersion: 1795548000,
			Context: wire.Context{Location: "Gate é", Coordinates: true, LatitudeE6: -1, LongitudeE6: 180000000},
		}},
		Ignored: []string{"items[].context.wind", "items[].mood"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("DecodeBatch (-want +got):\n%s", d)
	}
}

func TestDecodeSingle(t *testing.T) {
	t.Parallel()
	got, err := wire.DecodeBatch([]byte(`{"payload":"1xEA","context":{"scannerId":"gate-4","location":"Main gate","x":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := wire.Batch{
		ScannerID: "gate-4", Single: true, Ignored: []string{"context.x"},
		Items: []wire.Item{{Payload: "1xEA", Context: wire.Context{Location: "Main gate"}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("DecodeBatch (-want +got):\n%s", d)
	}
}

func TestDecodeBatchRefuses(t *testing.T) {
	t.Parallel()
	const id2 = "01936f3c-5c3a-7d2b-9f10-3b6c2d1e0f12"
	many := make([]string, wire.MaxItems+1)
	for i := range many {
		many[i] = item(fmt.Sprintf("01936f3c-5c3a-7d2b-9f10-%012x", i), "")
	}
	tests := []struct {
		name, body string
		path       string
		want       error
	}{
		{"empty", ``, "$body", wire.ErrSyntax},
		{"null", `null`, "$body", wire.ErrType},
		{"array", `[]`, "$body", wire.ErrType},
		{"cut short", ok(item(scanID, ""))[:80], "$body", wire.ErrSyntax},
		{"second document", ok(item(scanID, "")) + `{}`, "$body", wire.ErrSyntax},
		{"trailing comma", `{"batchId":"b",}`, "$body", wire.ErrSyntax},
		{"bad UTF-8", ok(item(scanID, `,"context":{"note":"`+"\xff"+`"}`)), "$body", wire.ErrSyntax},
		{"lone surrogate", ok(item(scanID, `,"context":{"note":"\ud800"}`)), "$body", wire.ErrSyntax},
		{"raw control character", ok(item(scanID, ",\"context\":{\"note\":\"\t\"}")), "$body", wire.ErrSyntax},
		{"leading zero", ok(item(scanID, `,"seq":01`)), "$body", wire.ErrSyntax},
		{"too deep", ok(item(scanID, `,"x":`+strings.Repeat("[", 40)+strings.Repeat("]", 40))), "$body", wire.ErrSyntax},
		{"member twice", ok(item(scanID, `,"payload":"NBBB"`)), "items[0].payload", wire.ErrDuplicate},
		{"member twice, one escaped", ok(item(scanID, `,"p\u0061yload":"NBBB"`)), "items[0].payload", wire.ErrDuplicate},
		{"unknown member twice", ok(item(scanID, `,"x":1,"x":1`)), "items[0].x", wire.ErrDuplicate},
		{"wrong case", ok(item(scanID, `,"SEQ":1`)), "items[0].SEQ", wire.ErrNameCase},
		{"wrong case at the top", `{"BatchId":"b"}`, "BatchId", wire.ErrNameCase},
		{"wrong case in context", ok(item(scanID, `,"context":{"Note":"x"}`)), "items[0].context.Note", wire.ErrNameCase},
		{"no items", ok(), "items", wire.ErrMissing},
		{"too many items", ok(many...), "items", wire.ErrTooLarge},
		{"item too long", ok(item(scanID, `,"x":"`+strings.Repeat("y", wire.MaxItemBytes)+`"`)), "items[0]", wire.ErrTooLarge},
		{"body too long", ok(item(scanID, "")) + strings.Repeat(" ", wire.MaxBodyBytes), "$body", wire.ErrTooLarge},
		{"bad batch id", strings.Replace(ok(item(scanID, "")), "b-1", "b 1", 1), "batchId", wire.ErrValue},
		{"no batch id", strings.Replace(ok(item(scanID, "")), "b-1", "", 1), "batchId", wire.ErrMissing},
		{"bad scanner id", strings.Replace(ok(item(scanID, "")), "gate4", "gate 4", 1), "scannerId", wire.ErrValue},
		{"same scan id", ok(item(scanID, ""), item(id2, ""), item(scanID, "")), "items[2].scanId", wire.ErrDuplicate},
		{"upper-case scan id", ok(item(strings.ToUpper(scanID), "")), "items[0].scanId", wire.ErrValue},
		{"no scan id", ok(item("", "")), "items[0].scanId", wire.ErrMissing},
		{"payload and reference", ok(item(scanID, `,"reference":"TCR-1"`)), "items[0].payload", wire.ErrEither},
		{"neither", ok(strings.Replace(item(scanID, ""), "NAAA", "", 1)), "items[0].payload", wire.ErrEither},
		{"payload a number", ok(strings.Replace(item(scanID, ""), `"NAAA"`, "17", 1)), "items[0].payload", wire.ErrType},
		{"time without zone", ok(strings.Replace(item(scanID, ""), "23Z", "23", 1)), "items[0].scannedAt", wire.ErrValue},
		{"time before 1970", ok(strings.Replace(item(scanID, ""), "2026", "1969", 1)), "items[0].scannedAt", wire.ErrValue},
		{"seq negative", ok(item(scanID, `,"seq":-1`)), "items[0].seq", wire.ErrValue},
		{"seq minus zero", ok(item(scanID, `,"seq":-0`)), "items[0].seq", wire.ErrValue},
		{"seq with exponent", ok(item(scanID, `,"seq":1e2`)), "items[0].seq", wire.ErrValue},
		{"seq beyond exact", ok(item(scanID, `,"seq":9007199254740992`)), "items[0].seq", wire.ErrValue},
		{"unknown verdict", ok(item(scanID, `,"offlineVerdict":"fine"`)), "items[0].offlineVerdict", wire.ErrValue},
		{"latitude alone", ok(item(scanID, `,"context":{"latitudeE6":1}`)), "items[0].context.latitudeE6", wire.ErrMissing},
		{"latitude beyond the pole", ok(item(scanID, `,"context":{"latitudeE6":90000001,"longitudeE6":0}`)), "items[0].context.latitudeE6", wire.ErrValue},
		{"NUL", ok(item(scanID, `,"context":{"note":"a\u0000b"}`)), "items[0].context.note", wire.ErrValue},
		{"long note", ok(item(scanID, `,"context":{"note":"`+strings.Repeat("é", wire.MaxNoteLen+1)+`"}`)), "items[0].context.note", wire.ErrLength},
		{"context a string", ok(item(scanID, `,"context":"here"`)), "items[0].context", wire.ErrType},
		{"single without context", `{"payload":"1x"}`, "context", wire.ErrMissing},
		{"single with items", `{"payload":"1x","context":{"scannerId":"a"},"items":[]}`, "items", wire.ErrEither},
		{"single without scanner", `{"payload":"1x","context":{"location":"a"}}`, "context.scannerId", wire.ErrMissing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := wire.DecodeBatch([]byte(tt.body))
			fe, isField := errors.AsType[*wire.FieldError](err)
			if !isField || !errors.Is(err, tt.want) || fe.Path != tt.path {
				t.Errorf("DecodeBatch = %v, want %s: %v", err, tt.path, tt.want)
			}
		})
	}
}

// 500 items of 2 KiB do not fit; 500 small ones and one of almost 8 KiB do.
func TestDecodeBatchAtTheLimits(t *testing.T) {
	t.Parallel()
	full := make([]string, wire.MaxItems)
	for i := range full {
		full[i] = item(fmt.Sprintf("01936f3c-5c3a-7d2b-9f10-%012x", i), "")
	}
	big := item(scanID, `,"x":""`)
	big = strings.Replace(big, `"x":""`, `"x":"`+strings.Repeat("y", wire.MaxItemBytes-len(big))+`"`, 1)
	full[0] = big
	b, err := wire.DecodeBatch([]byte(ok(full...)))
	if err != nil || len(b.Items) != wire.MaxItems {
		t.Errorf("DecodeBatch = %d items, %v", len(b.Items), err)
	}
}

func TestPayloadBytes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want string // hex; empty: refused
		says string
	}{
		{"1xE=", "d711", ""},
		{" \t1xE=\r\n", "d711", ""},
		{"1xF=", "", "payload is Base64 with characters missing or damaged: send it whole, with its padding"}, // non-zero trailing bits
		{"1xE", "", "payload is Base64 with characters missing or damaged: send it whole, with its padding"},
		{"1x\nE=", "", "payload is Base64 with white space in it: send it on one line"},
		{"1-8_", "", "payload is Base64url: send it in the standard alphabet, with + and / and with padding"},
		{" tcr-0000000000000000", "", "payload is a reference: verify it by its reference"},
		{"", "", "payload is neither Base64 nor the text form"},
		{"QUJD", "", "payload is Base64, but of no TCode payload"},
		{"-_8", "", "payload is Base64, but of no TCode payload"},
		{"Hello!", "", "payload is neither Base64 nor the text form"},
		{"N", "", "payload is in the text form, with a mistake: text at 0: not a length of the text form"},
		{"n0000000000000", "", "payload is in the text form, in lower case: send capital letters"},
	}
	for _, tt := range tests {
		got, err := wire.PayloadBytes(tt.in)
		if err != nil && err.Error() != tt.says {
			t.Errorf("PayloadBytes(%q): %q, want %q", tt.in, err, tt.says)
		}
		if fmt.Sprintf("%x", got) != tt.want && tt.want != "" || (err == nil) != (tt.want != "") {
			t.Errorf("PayloadBytes(%q) = %x, %v; want %s", tt.in, got, err, tt.want)
		}
		if err != nil && !errors.Is(err, wire.ErrPayloadForm) {
			t.Errorf("PayloadBytes(%q) = %v, want ErrPayloadForm", tt.in, err)
		}
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"https://gate.example", "https://gate.example"},
		{"https://gate.example/", "https://gate.example"},
		{"https://gate.example/v1", "https://gate.example"},
		{" https://gate.example:8443/a/v1/ ", "https://gate.example:8443/a"},
		{"http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"},
		{"gate.example", ""},
		{"ftp://gate.example", ""},
		{"https://user:pw@gate.example", ""},
		{"https://gate.example?x=1", ""},
		{"https:///v1", ""},
	}
	for _, tt := range tests {
		got, err := wire.BaseURL(tt.in)
		if got != tt.want || (err == nil) != (tt.want != "") || err != nil && !errors.Is(err, wire.ErrAddress) {
			t.Errorf("BaseURL(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}
