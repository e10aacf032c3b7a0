package mkvectors_test

import (
	"fmt"
	"strings"

	"tcode/sync/wire"
)

// refusedBatches are bodies with one fault.
func refusedBatches() []batchCase {
	note := func(name, comment, text, member string) batchCase {
		return batchCase{name: name, comment: comment, want: "invalid", member: member, from: `"note":"é"`, to: text}
	}
	second := func(name, comment, from, to, member string) batchCase {
		return batchCase{name: name, comment: comment, want: "invalid", member: "items[1]" + member, from: from, to: to}
	}
	all := func(name, comment, from, to, member string) batchCase {
		return batchCase{name: name, comment: comment, want: "invalid", member: member, from: from, to: to}
	}
	many := ""
	for i := range wire.MaxItems - 1 {
		many += fmt.Sprintf(`,{"scanId":"01936f3c-5c3a-7d2b-9f10-%012x","scannedAt":"2026-06-15T12:00:00Z","payload":"NAAA"}`, i)
	}
	cases := []batchCase{
		all("cut", "the body ends too soon", "]}", "]", "$body"),
		all("behind", "something behind the document", "]}", "]}{}", "$body"),
		all("comma", "a comma too many", "]}", "],}", "$body"),
		all("bom", "U+FEFF before the document", `{"batchId"`, "\ufeff"+`{"batchId"`, "$body"),
		note("utf8", "a byte that is no UTF-8", "\"note\":\"\xff\"", "$body"),
		note("surrogate", "half of a surrogate pair", `"note":"\ud800"`, "$body"),
		note("surrogate-low", "the other half", `"note":"\udc00x"`, "$body"),
		note("control", "a control character as it is", "\"note\":\"\t\"", "$body"),
		note("nul", "U+0000 in a string", `"note":"a\u0000b"`, "items[0].context.note"),
		note("long-note", "501 characters", `"note":"`+strings.Repeat("é", 501)+`"`, "items[0].context.note"),
		note("twice", "a member twice, one escaped", `"note":"a","not\u0065":"b"`, "items[0].context.note"),
		note("unknown-twice", "a member that is not known, twice", `"x":1,"x":1`, "items[0].context.x"),
		note("case", "a known name in another case", `"Note":"a"`, "items[0].context.Note"),
		note("type", "a number for a string", `"note":7`, "items[0].context.note"),
		all("latitude-alone", "one coordinate", `"longitudeE6":-13404954,`, "", "items[0].context.latitudeE6"),
		all("latitude-beyond", "a latitude beyond the pole", "52520008", "90000001", "items[0].context.latitudeE6"),
		all("latitude-fraction", "a fraction", "52520008", "52520008.0", "items[0].context.latitudeE6"),
		second("seq-negative", "below 0", `"seq":41`, `"seq":-1`, ".seq"),
		second("seq-minus-zero", "minus 0", `"seq":41`, `"seq":-0`, ".seq"),
		second("seq-exponent", "an exponent", `"seq":41`, `"seq":4e1`, ".seq"),
		second("seq-2-53", "2^53", `"seq":41`, `"seq":9007199254740992`, ".seq"),
		all("seq-zero-first", "a zero before a number", `"seq":41`, `"seq":041`, "$body"),
		second("scan-id-upper", "a scan id in upper case", "01936f3c-5c3b-7000-8000-000000000001", "01936F3C-5C3B-7000-8000-000000000001", ".scanId"),
		second("scan-id-bare", "a scan id without hyphens", "01936f3c-5c3b-7000-8000-000000000001", "01936f3c5c3b70008000000000000001", ".scanId"),
		second("scan-id-twice", "the scan id of the first", "01936f3c-5c3b-7000-8000-000000000001", "01936f3c-5c3a-7d2b-9f10-3b6c2d1e0f11", ".scanId"),
		second("scan-id-missing", "no scan id", `"scanId":"01936f3c-5c3b-7000-8000-000000000001",`, "", ".scanId"),
		second("both", "payload and reference", `"reference":"TCR-0123456789ABCDEF"`, `"reference":"TCR-0123456789ABCDEF","payload":"NAAA"`, ".payload"),
		second("neither", "neither payload nor reference", `"reference":"TCR-0123456789ABCDEF",`, "", ".payload"),
		second("reference-long", "a reference of 65 characters", "TCR-0123456789ABCDEF", "TCR-0123456789ABCDEF"+strings.Repeat(" ", 45), ".reference"),
		second("time-zone", "a time without a zone", "12:00:01.123Z", "12:00:01.123", ".scannedAt"),
		second("time-1969", "a time before 1970", "2026-06-15T12:00:01.123Z", "1969-12-31T23:59:59.999Z", ".scannedAt"),
		second("time-day", "a day that does not exist", "2026-06-15T12:00:01.123Z", "2026-06-31T12:00:01.123Z", ".scannedAt"),
		second("time-missing", "no time", `"scannedAt":"2026-06-15T12:00:01.123Z",`, "", ".scannedAt"),
		all("verdict", "a word that is no verdict", `"offlineVerdict":"valid"`, `"offlineVerdict":"Valid"`, "items[0].offlineVerdict"),
		all("binding", "a code for a binding", `"binding":"match"`, `"binding":"binding_match"`, "items[0].binding"),
		all("assurance", "a word that is no assurance", `"assurance":"signature_and_status"`, `"assurance":"full"`, "items[0].assurance"),
		all("batch-id", "a space in the batch id", "7d0c2a1e-", "7d0c2a1e ", "batchId"),
		all("batch-id-long", "a batch id of 65 characters", "7d0c2a1e-35a4-4b0f-9a53-3c9de6a1f7b2", strings.Repeat("b", 65), "batchId"),
		all("batch-id-missing", "no batch id", `"batchId":"7d0c2a1e-35a4-4b0f-9a53-3c9de6a1f7b2",`, "", "batchId"),
		all("scanner-id", "a slash in the scanner id", deviceID(), "gate/4", "scannerId"),
		all("sent-at-missing", "no time of sending", `"sentAt":"2026-06-15T12:01:00.123Z",`, "", "sentAt"),
		{name: "no-items", comment: "no items and no clock events", want: "invalid", member: "items", from: body(scans())[strings.Index(body(scans()), `"items"`):], to: `"items":[]}`},
		{name: "items-501", comment: "501 items", want: "too_large", member: "items", from: "]}", to: many + "]}"},
		{name: "item-long", comment: "an item of more than 8 KiB", want: "too_large", member: "items[1]", from: `"seq":41`, to: `"seq":41,"x":"` + strings.Repeat("y", 8<<10) + `"`},
		{name: "event-kind", comment: "a clock event that is none", want: "invalid", member: "clockEvents[0].kind", batch: func(b *wire.Batch) { b.Clock = clockEvents() }, from: "clock_was_ahead", to: "clock_was_behind"},
		{name: "event-twice", comment: "an event id twice", want: "invalid", member: "clockEvents[1].eventId", batch: func(b *wire.Batch) { b.Clock = clockEvents() }, from: "38a0e39eda12", to: "38a0e39eda11"},
	}
	for i := range cases {
		cases[i].name = "refused-" + cases[i].name
	}
	return cases
}
