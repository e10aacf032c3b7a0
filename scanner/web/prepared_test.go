package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// A world is what a prepared engine answers: replies by operation, and the answers of scans by their id.
// It tests the page: each screen is drawn from messages as the engine sends them (scanner/web/engine/PROTOCOL.md).
type world struct {
	Start   map[string]any            `json:"start"`
	Fail    map[string]any            `json:"fail,omitempty"` // the error of start, in place of a state
	Replies map[string]any            `json:"replies"`
	Errors  map[string]any            `json:"errors,omitempty"`
	Entries map[string]map[string]any `json:"entries"`
	Events  []map[string]any          `json:"events"`
	Root    string                    `json:"root"` // of a trust file
}

// worker is the program of a prepared engine.
const worker = `const world = %s;
let counts = world.start?.counts;
onmessage = (e) => {
  const {id, op} = e.data;
  const ok = (result) => postMessage({id, ok: true, result});
  const fail = (error) => postMessage({id, ok: false, error});
  if (world.errors?.[op]) return fail(world.errors[op]);
  if (op === 'start') {
    if (world.fail) return fail(world.fail);
    ok(world.start);
    for (const event of world.events ?? []) postMessage(event);
    return;
  }
  if (op === 'importTrust' && !e.data.fingerprint) return fail({code: 'fingerprint_needed', message: 'no root is pinned', fingerprint: world.root});
  if (op === 'settings') { Object.assign(world.start.settings, e.data.set); return ok(world.start.settings); }
  if (op === 'entry') return world.entries[e.data.scanId] ? ok(world.entries[e.data.scanId]) : fail({code: 'not_found', message: 'no such scan'});
  if (op === 'file' && e.data.name.startsWith('trap')) return postMessage({event: 'fatal', error: {code: 'internal', message: 'the engine has ended'}});
  if (op === 'file' && e.data.name.startsWith('bad')) return fail({code: 'document', document: 'damaged', message: 'it is damaged', advice: ''});
  if (op === 'frame') { e.data.frame?.close(); const r = world.replies.frame; return ok(Array.isArray(r) ? r[Math.min(r.length - 1, world.n = (world.n ?? -1) + 1)] : r ?? {seen: null, hint: ''}); }
  if (op === 'exportHistory' || op === 'exportTrust') return ok({name: op + '.txt', type: 'text/plain', bytes: new TextEncoder().encode('x').buffer, entries: 1});
  ok(world.replies[op] ?? {});
};
postMessage({event: 'ready', loadMs: 1});
`

// wasm is an engine without code.
const wasm = "\x00asm\x01\x00\x00\x00"

func gzipped(t *testing.T, data []byte) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

// engine returns the files of an engine that knows only w.
func (w world) engine(t *testing.T) fstest.MapFS {
	t.Helper()
	raw, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{
		"engine.wasm.gz":   gzipped(t, []byte(wasm)),
		"wasm_exec.js":     {Data: []byte("// the support of Go")},
		"engine-worker.js": {Data: fmt.Appendf(nil, worker, raw)},
	}
}

const (
	root     = "9dac2f64ac9149a15249c314071dbf038678b6a63be30bfa8f6f9460df679d8e"
	scanFull = "01a1fc2d-0238-7051-b80b-d261acdb62e3"
	day      = 24 * time.Hour
)

var now = time.Now().UTC().Truncate(time.Second)

func at(before time.Duration) string { return now.Add(-before).Format(time.RFC3339) }

// prepared are the answers of the mock-ups, by name. Their texts are those that the engine would give.
func prepared() map[string]map[string]any {
	named := func(code, name string) map[string]any { return map[string]any{"code": code, "name": name} }
	fields := func(pairs ...string) (out []map[string]any) {
		for i := 0; i < len(pairs); i += 3 {
			out = append(out, map[string]any{"key": pairs[i], "label": pairs[i+1], "value": pairs[i+2]})
		}
		return out
	}
	fresh := map[string]any{"asOf": at(30 * time.Minute), "ageMs": 30 * 60_000, "basis": "proven", "old": false}
	old := map[string]any{"asOf": at(76 * time.Hour), "ageMs": 76 * 3_600_000, "basis": "device_clock", "old": true}
	ancient := map[string]any{"asOf": at(9 * day), "ageMs": 9 * 24 * 3_600_000, "basis": "device_clock", "old": true}
	acme := named("ACME01", "Acme University")
	diploma := map[string]any{
		"issuer": acme, "document": named("DIP", "Diploma"), "reference": "TCR-R9MC5QCNZXT6PPEZ", "issuedAt": "2026-11-20T09:00:00Z",
		"fields": fields("holder", "Holder", "Maya Okonkwo", "degree", "Degree", "BSc Marine Engineering"), "status": fresh,
		"adviceValues": map[string]any{"issuer": "Acme University", "code": "ACME01", "ageMs": 30 * 60_000},
	}
	with := func(more map[string]any) map[string]any {
		out := map[string]any{}
		for _, m := range []map[string]any{diploma, more} {
			for k, v := range m {
				out[k] = v
			}
		}
		return out
	}
	unsigned := map[string]any{"issuer": nil, "document": nil, "reference": "", "issuedAt": "", "fields": nil}
	none := func(more map[string]any) map[string]any {
		out := with(unsigned)
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	return map[string]map[string]any{
		"valid":     with(map[string]any{"headline": "valid", "advice": "rely", "source": "file", "file": "diploma-okonkwo.pdf"}),
		"stale":     with(map[string]any{"headline": "stale", "advice": "refresh_first", "stale": true, "status": old, "source": "file", "file": "diploma-okonkwo.pdf", "adviceValues": map[string]any{"ageMs": 76 * 3_600_000}}),
		"compare":   with(map[string]any{"headline": "compare", "advice": "compare_lines", "compare": true}),
		"contents":  with(map[string]any{"headline": "contents", "advice": "compare_copy", "source": "file", "file": "transcript-2026.pdf", "cautions": []map[string]any{{"code": "layers", "text": "it has layers that are hidden, or shown on the screen only or in print only: page 2"}, {"code": "script", "text": "it holds scripts, which can change what it shows"}}}),
		"added":     with(map[string]any{"headline": "added", "advice": "look_at_added", "source": "file", "file": "contract-signed.pdf", "binding": "18,204 bytes: a signature that names \"J. Weidmann, Port of Elsin\", and 1 note on page 3; who signed was not checked"}),
		"restamped": with(map[string]any{"headline": "restamped", "advice": "look_at_added", "source": "file", "file": "contract-twice.pdf"}),
		"not_genuine": none(map[string]any{
			"headline": "not_genuine", "advice": "forged", "failed": []map[string]any{{"check": "signature", "code": "signature_invalid", "detail": "the signature is not that of key 3 of issuer ACME01"}},
			"reason": "Forged or altered: the signature is not that of issuer ACME01. Do not accept it.",
		}),
		"revoked":        with(map[string]any{"headline": "revoked", "advice": "withdrawn", "fields": fields("holder", "Holder", "Tomás Herrera"), "failed": []map[string]any{{"check": "status_entry", "code": "revoked", "detail": "revoked"}}}),
		"replaced":       with(map[string]any{"headline": "replaced", "advice": "newer", "fields": fields("holder", "Holder", "Leïla Haddad")}),
		"suspended":      with(map[string]any{"headline": "suspended", "advice": "suspended", "issuer": named("NGP002", "Northgate Polytechnic"), "fields": fields("holder", "Holder", "Jonas Weidmann")}),
		"expired":        with(map[string]any{"headline": "expired", "advice": "ended", "document": named("CRT", "Certificate"), "expiresAt": "2026-10-31T23:59:59Z", "adviceValues": map[string]any{"at": "2026-10-31T23:59:59Z"}}),
		"unverified":     with(map[string]any{"headline": "unverified", "advice": "too_old", "status": ancient, "reason": "Genuine signature, status unknown."}),
		"unknown_issuer": none(map[string]any{"headline": "unverified", "advice": "unknown_issuer", "adviceValues": map[string]any{"code": "KELP07"}, "reason": "Cannot be checked: issuer KELP07 is not in this device's trust documents."}),
		"no_tcode":       none(map[string]any{"headline": "no_tcode", "advice": "no_tcode", "source": "file", "file": "letter-of-intent.pdf", "reason": "no stamp was found on its 2 pages"}),
	}
}

// checkNames are the checks of a verdict in their order.
var checkNames = strings.Fields("decode header issuer_known issuer_active key_known key_window key_not_compromised signature issued_not_in_future not_test status_shard status_entry status_predates_stamp not_expired freshness binding")

// answerOf makes the engine's answer of one stamp from a screen.
func answerOf(id string, s map[string]any) map[string]any {
	source, _ := s["source"].(string)
	if source == "" {
		source = "camera"
	}
	file, _ := s["file"].(string)
	headline := s["headline"].(string)
	verdict := map[string]string{"not_genuine": "not_found", "revoked": "revoked", "replaced": "revoked", "suspended": "suspended", "expired": "expired", "unverified": "unverified", "no_tcode": "no_symbol"}[headline]
	if verdict == "" {
		verdict = "valid"
	}
	reached := true
	var checks []map[string]any
	for _, name := range checkNames {
		c := map[string]any{"name": name, "status": "pass", "code": "ok"}
		if failed, ok := s["failed"].([]map[string]any); ok && failed[0]["check"] == name {
			c = map[string]any{"name": name, "status": "fail", "code": failed[0]["code"], "detail": failed[0]["detail"]}
			reached = false
		} else if !reached {
			c = map[string]any{"name": name, "status": "skipped", "code": "not_reached"}
		}
		if name == "binding" && reached && headline == "compare" {
			c = map[string]any{"name": name, "status": "unknown", "code": "binding_not_checked", "detail": "a picture has no file to bind to"}
		}
		if name == "binding" && s["binding"] != nil {
			c = map[string]any{"name": name, "status": "pass", "code": "binding_appended", "detail": s["binding"]}
		}
		checks = append(checks, c)
	}
	finding := map[string]any{"file": file, "page": 1, "scanId": id, "symbol": map[string]any{"modules": []int{40, 40}}, "verdict": verdict, "trustVersion": 1795206704, "checks": checks, "reason": s["reason"]}
	if headline == "no_tcode" {
		finding = map[string]any{"file": file, "verdict": verdict, "reason": s["reason"], "advice": "check that the page shows the whole stamp"}
	}
	screen := map[string]any{}
	for k, v := range s {
		if k != "file" && k != "source" && k != "binding" {
			screen[k] = v
		}
	}
	return map[string]any{"findings": []any{finding}, "json": "{}", "screens": []any{screen}, "source": source, "at": at(time.Minute)}
}

// field is a phone that has worked for some time: enrolled, with one scan of each answer.
func field() world {
	w := world{Root: root, Entries: map[string]map[string]any{}, Replies: map[string]any{}, Errors: map[string]any{}}
	var list []any
	seq := 140
	names := []string{"compare", "valid", "not_genuine", "stale", "revoked", "contents", "added", "restamped", "replaced", "suspended", "expired", "unverified", "unknown_issuer"}
	answers := prepared()
	for i, name := range names {
		s, id := answers[name], "scan-"+name
		seq--
		e := map[string]any{"scanId": id, "seq": seq, "scannedAt": at(time.Duration(i) * 4 * time.Hour), "file": s["file"], "reference": s["reference"], "headline": s["headline"], "stale": s["stale"], "state": "queued", "offlineVerdict": "valid", "trustVersion": 1795206704}
		if i == 3 {
			e["state"], e["code"], e["message"] = "dead", "NOTE_TOO_LONG", "the note is longer than 500 characters"
		}
		entry := map[string]any{"entry": e, "answer": answerOf(id, s)}
		if i > 3 {
			e["state"] = "done"
		}
		if name == "restamped" {
			e["gatewayVerdict"], e["finding"] = "revoked", "accepted_revoked"
			entry["gateway"] = map[string]any{"verdict": "revoked", "verdictAtScan": "revoked", "finding": "accepted_revoked", "findingText": "accepted offline, revoked before", "receivedAt": at(time.Hour)}
		}
		if name == "not_genuine" {
			e["offlineVerdict"], e["gatewayVerdict"], e["state"] = "not_found", "valid", "done"
			entry["gateway"] = map[string]any{"verdict": "valid", "verdictAtScan": "valid", "receivedAt": at(time.Hour)}
		}
		w.Entries[id] = entry
		list = append(list, e)
	}
	counts := map[string]any{"queued": 3, "inflight": 0, "done": 124, "dead": 1, "conflicts": 0, "changed": 1, "lost": 0, "waiting": 3, "oldest": at(8 * time.Hour), "verdicts": map[string]any{"valid": 107, "not_found": 6, "revoked": 5, "suspended": 2, "expired": 1, "unverified": 7}}
	trust := map[string]any{
		"enrolled": true, "gateway": "https://tcode.acme.example", "fingerprint": root, "pinnedAt": at(23 * day), "rootVersion": 1, "version": 1795206704,
		"statusAsOf": at(30 * time.Minute), "statusAgeMs": 30 * 60_000, "ageBasis": "proven", "bundleUntil": at(-7 * day), "statusUntil": at(-7 * day), "fresh": true, "usable": true, "issuers": 3, "keys": 4, "documentTypes": 12, "shards": 2,
		"lastRefresh": map[string]any{"at": at(5 * time.Minute), "error": "no answer", "succeededAt": at(30 * time.Minute)}, "clock": map[string]any{"suspect": false},
	}
	settings := map[string]any{"language": "en", "freshMs": 86_400_000, "hardExpiryMs": 604_800_000, "deviceName": "Gate 2, Samsung A15"}
	w.Start = map[string]any{"scannerId": "dev_kt1tpcfgxs6tstwg", "deviceName": "Gate 2, Samsung A15", "key": "webcrypto", "engine": map[string]any{"version": "b748dc9", "go": "go1.26.8"}, "counts": counts, "trust": trust, "settings": settings, "bootMs": 200}
	w.Replies["history"] = map[string]any{"entries": list, "more": true}
	w.Replies["counts"], w.Replies["trust"], w.Replies["settings"] = counts, trust, settings
	w.Replies["typed"] = map[string]any{"answer": answerOf("", answers["no_tcode"])}
	w.Replies["readCode"] = map[string]any{"gateway": "https://tcode.acme.example", "fingerprint": root, "groups": []string{}, "pinned": ""}
	w.Replies["frame"] = map[string]any{"seen": nil, "hint": "closer"}
	w.Errors["sendNow"] = map[string]any{"code": "offline", "message": "no answer"}
	w.Events = []map[string]any{{"event": "sync", "state": "idle", "at": at(3 * time.Hour), "report": map[string]any{"sent": 2}}, {"event": "sync", "state": "waiting", "at": at(time.Minute), "error": map[string]any{"code": "offline", "message": "no answer"}}}
	return w
}

// fresh is a phone at its first start.
func fresh() world {
	w := field()
	counts := map[string]any{"queued": 0, "inflight": 0, "done": 0, "dead": 0, "waiting": 0, "lost": 0, "verdicts": map[string]any{}}
	trust := map[string]any{"enrolled": false, "fresh": false, "usable": false}
	w.Start["counts"], w.Start["trust"], w.Replies["counts"], w.Replies["trust"] = counts, trust, counts, trust
	w.Replies["history"], w.Entries = map[string]any{"entries": []any{}}, nil
	return w
}

// refused is a phone whose engine does not start, for the reason code.
func refused(code string) world {
	w := fresh()
	w.Fail = map[string]any{"code": code, "message": "IndexedDB: the database cannot be opened"}
	return w
}
