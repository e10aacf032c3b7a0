package app_test

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/scanner/web/engine/door"
	"tcode/scanner/web/engine/keep"
	"tcode/sync/transport/nethttp"
)

// A deviceDoor is the app's scanner on this machine: the same code as in a browser, with journals whose disks can fail.
type deviceDoor struct {
	t      *testing.T
	disks  [3]journal.Disk // trust, scans, notes
	key    ed25519.PrivateKey
	origin string
	door   *door.Door
	next   int64

	mu     sync.Mutex
	events []map[string]any
}

func newDeviceDoor(t *testing.T) *deviceDoor {
	d := &deviceDoor{t: t}
	_, d.key, _ = ed25519.GenerateKey(nil)
	d.open()
	t.Cleanup(func() { d.door.Close() })
	return d
}

// open starts the program anew, on the same disks.
func (d *deviceDoor) open() {
	opener := func(i int) keep.Opener {
		return func(context.Context) (journal.Journal, error) { return d.disks[i].Open() }
	}
	d.door = door.New(door.Config{
		Trust: opener(0), Scans: opener(1), Notes: opener(2), Transport: nethttp.New(nil), Origin: d.origin,
		Key: func(context.Context) (crypto.Signer, string, error) { return d.key, "webcrypto", nil },
		Event: func(raw []byte) {
			var e map[string]any
			if err := json.Unmarshal(raw, &e); err != nil {
				d.t.Errorf("event %s: %v", raw, err)
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			d.events = append(d.events, e)
		},
	})
}

// crash ends the program as the end of its process does, and starts it again.
func (d *deviceDoor) crash() {
	for i := range d.disks {
		d.disks[i].Crash()
	}
	d.door.Close()
	for i := range d.disks {
		d.disks[i].Fail()
	}
	d.open()
	d.ask("start", nil, nil)
}

// ask returns the result of a request, or the code of its error.
func (d *deviceDoor) ask(op string, members map[string]any, data []byte) (result map[string]any, code string) {
	d.t.Helper()
	d.next++
	request := map[string]any{"id": d.next, "op": op}
	for k, v := range members {
		request[k] = v
	}
	raw, err := json.Marshal(request)
	if err != nil {
		d.t.Fatal(err)
	}
	var reply struct {
		ID     int64
		OK     bool
		Result json.RawMessage
		Error  struct{ Code, Message string }
	}
	answer, file := d.door.Ask(d.t.Context(), raw, data)
	if err := json.Unmarshal(answer, &reply); err != nil || reply.ID != d.next {
		d.t.Fatalf("%s: %s, %v", op, answer, err)
	}
	if !reply.OK {
		d.t.Logf("%s: %s: %s", op, reply.Error.Code, reply.Error.Message)
		return nil, reply.Error.Code
	}
	if err := json.Unmarshal(reply.Result, &result); err != nil {
		d.t.Fatalf("%s: %s, %v", op, reply.Result, err)
	}
	if file != nil {
		result["bytes"] = string(file)
	}
	return result, ""
}

// must is ask for a request that succeeds.
func (d *deviceDoor) must(op string, members map[string]any, data []byte) map[string]any {
	d.t.Helper()
	result, code := d.ask(op, members, data)
	if code != "" {
		d.t.Fatalf("%s: %s", op, code)
	}
	return result
}

// drained waits until nothing waits.
func (d *deviceDoor) drained() {
	d.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if d.must("counts", nil, nil)["waiting"] == 0.0 {
			return
		}
	}
	d.t.Fatal("scans still wait")
}

// TestDoor makes every request but those with pictures, against a real gateway.
func TestDoor(t *testing.T) {
	t.Parallel()
	w, paper := stampedForApp(t)
	d := newDeviceDoor(t)
	if _, code := d.ask("counts", nil, nil); code != "not_started" {
		t.Errorf("a request before start: %q", code)
	}
	if s := d.must("start", nil, nil); s["keeps"] != true || !strings.HasPrefix(s["scannerId"].(string), "dev_") {
		t.Errorf("start: %v", s)
	}
	code := map[string]any{"text": w.URL() + "/#tcode-enrol=" + fingerprint(w)}
	if c := d.must("readCode", code, nil); c["gateway"] != w.URL() || c["pinned"] != "" {
		t.Errorf("code: %v", c)
	}
	wrong := map[string]any{"gateway": w.URL(), "fingerprint": strings.Repeat("ab", 32)}
	if _, code := d.ask("enrol", wrong, nil); code != "fingerprint" {
		t.Errorf("another root: %q", code)
	}
	if _, code := d.ask("sendNow", nil, nil); code != "not_enrolled" {
		t.Errorf("sending without a root: %q", code)
	}
	d.must("enrol", map[string]any{
		"gateway": w.URL(), "fingerprint": fingerprint(w),
		"deviceName": "Gate 2",
	}, nil)
	if s := d.must("settings", nil, nil); s["deviceName"] != "Gate 2" {
		t.Errorf("settings: %v", s)
	}
	if _, code := d.ask("settings", map[string]any{"set": map[string]any{"freshMs": 48 * 3600_000}}, nil); code != "request" {
		t.Errorf("a status of two days as fresh: %q", code)
	}
	id := d.scan(paper.PDF, "valid")
	d.must("annotate", map[string]any{"scanId": id, "remark": "from the port"}, nil)
	d.drained()
	e := d.must("entry", map[string]any{"scanId": id}, nil)
	entry, gateway := e["entry"].(map[string]any), e["gateway"].(map[string]any)
	if entry["state"] != "done" || entry["remark"] != "from the port" || entry["headline"] != "valid" || gateway["verdict"] != "valid" || gateway["receipt"] == "" {
		t.Errorf("entry: %v, gateway: %v", entry, gateway)
	}
	for _, q := range []map[string]any{
		{"search": "PORT"},
		{"verdict": "valid"},
		{"state": "done"},
		{"search": paper.Reference},
	} {
		if h := d.must("history", q, nil); len(h["entries"].([]any)) != 1 {
			t.Errorf("history %v: %v", q, h)
		}
	}
	if h := d.must("history", map[string]any{"verdict": "revoked"}, nil); len(h["entries"].([]any)) != 0 {
		t.Errorf("history of others: %v", h)
	}
	for format, want := range map[string]string{"jsonl": `"payload":"`, "csv": "\ufeffscanId,scannedAt"} {
		if f := d.must("exportHistory", map[string]any{"format": format}, nil); !strings.Contains(f["bytes"].(string), want) || !strings.Contains(f["bytes"].(string), id) {
			t.Errorf("%s: %v", format, f)
		}
	}
	if r := d.must("typed", map[string]any{"text": strings.ToLower(paper.Reference)}, nil); len(r["entries"].([]any)) != 1 {
		t.Errorf("typed reference: %v", r)
	}
	pasted := "<https://gateway.example/d/" + strings.Replace(paper.Reference, "-", "\u2013", 1) + ">."
	if r := d.must("typed", map[string]any{"text": pasted}, nil); r["reference"] != paper.Reference || len(r["entries"].([]any)) != 1 {
		t.Errorf("pasted address: %v", r)
	}
	if r := d.must("typed", map[string]any{"text": "trf-R9MC 5QCN ZXT6 PPEZ"}, nil); r["reference"] != "TRF-R9MC5QCNZXT6PPEZ" || r["entries"] != nil {
		t.Errorf("typed reference of a Trust document: %v", r)
	}
	if _, code := d.ask("typed", map[string]any{"text": "hello"}, nil); code != "request" {
		t.Errorf("typed rubbish: %q", code)
	}
	if r := d.must("rejudge", map[string]any{"scanId": id}, nil); headlineOf(r) != "valid" {
		t.Errorf("judged again: %v", r)
	}
	if r := d.must("trust", nil, nil); r["enrolled"] != true || r["fresh"] != true || r["issuers"] != 1.0 {
		t.Errorf("trust: %v", r)
	}
	other := newDeviceDoor(t)
	other.must("start", nil, nil)
	file := []byte(d.must("exportTrust", nil, nil)["bytes"].(string))
	if _, code := other.ask("importTrust", nil, file); code != "fingerprint_needed" {
		t.Errorf("a file on a new device: %q", code)
	}
	other.must("importTrust", map[string]any{"fingerprint": fingerprint(w)}, file)
	other.scan(paper.PDF, "valid")
	if _, code := other.ask("sendNow", nil, nil); code != "no_gateway" {
		t.Errorf("sending without a gateway: %q", code)
	}
	other.must("forget", map[string]any{"confirm": "forget"}, nil)
	other.scan(paper.PDF, "unverified")
	if c := other.must("counts", nil, nil); c["waiting"] != 2.0 {
		t.Errorf("scans after the root was forgotten: %v", c)
	}
	if got := w.ScansAtGateway(); len(got) != 1 || got[id] != 1 {
		t.Errorf("at the gateway: %v", got)
	}
}

func headlineOf(r map[string]any) any {
	return r["answer"].(map[string]any)["screens"].([]any)[0].(map[string]any)["headline"]
}

// scan judges a file, and returns the id of its only scan.
func (d *deviceDoor) scan(pdf []byte, headline string) string {
	d.t.Helper()
	r := d.must("file", map[string]any{"name": "letter.pdf"}, pdf)
	if headlineOf(r) != headline {
		d.t.Errorf("headline %v, want %s", headlineOf(r), headline)
	}
	return r["answer"].(map[string]any)["findings"].([]any)[0].(map[string]any)["scanId"].(string)
}

// TestDoorLostKey: a phone that loses its key and keeps its scans sends those that were never sent, and lists the others.
func TestDoorLostKey(t *testing.T) {
	t.Parallel()
	w, stamped := stampedForApp(t)
	d := newDeviceDoor(t)
	d.must("start", nil, nil)
	d.must("enrol", map[string]any{"gateway": w.URL(), "fingerprint": fingerprint(w)}, nil)
	sent := d.scan(stamped.PDF, "valid")
	d.drained()
	w.Down()
	tried := d.scan(stamped.PDF, "valid")
	if _, code := d.ask("sendNow", nil, nil); code != "offline" {
		t.Errorf("sending to no gateway: %q", code)
	}
	d.door.Close()
	_, d.key, _ = ed25519.GenerateKey(nil)
	d.open()
	d.must("start", nil, nil)
	fresh := d.scan(stamped.PDF, "valid")
	w.Start()
	d.ask("sync", nil, nil)
	d.drained()
	want := map[string]string{sent: "done", tried: "dead", fresh: "done"}
	for id, state := range want {
		if e := d.must("entry", map[string]any{"scanId": id}, nil)["entry"].(map[string]any); e["state"] != state || (state == "dead") != (e["code"] == "key_lost") {
			t.Errorf("scan %s: %v, want %s", id, e, state)
		}
	}
	d.crash()
	if at := w.ScansAtGateway(); len(at) != 2 || at[sent] != 1 || at[fresh] != 1 {
		t.Errorf("at the gateway: %v", at)
	}
	d.must("sendNow", map[string]any{"scanId": tried}, nil)
	d.drained()
	if at := w.ScansAtGateway(); len(at) != 3 || at[tried] != 1 {
		t.Errorf("at the gateway after a person sent it again: %v", at)
	}
}

// TestDoorFaults: whatever commit fails, an answer has its scan in the history after a crash, a reply without an answer
// leaves at most one, and the gateway gets each exactly once.
func TestDoorFaults(t *testing.T) {
	t.Parallel()
	w, paper := stampedForApp(t)
	d := newDeviceDoor(t)
	d.must("start", nil, nil)
	d.must("enrol", map[string]any{"gateway": w.URL(), "fingerprint": fingerprint(w)}, nil)
	shown, failed := map[string]bool{}, 0
	faults := []journal.Fault{journal.NoFault, journal.FailBefore, journal.FailAfter, journal.Full}
	for round := range 24 {
		for i := range d.disks {
			if (round+i)%3 == 0 {
				d.disks[i].Fail(faults[round%len(faults)], faults[round/4%len(faults)])
			}
		}
		r, code := d.ask("file", map[string]any{"name": "letter.pdf"}, paper.PDF)
		switch code {
		case "":
			shown[r["answer"].(map[string]any)["findings"].([]any)[0].(map[string]any)["scanId"].(string)] = true
		case "not_stored", "full":
			failed++
		default:
			t.Errorf("round %d: %s", round, code)
		}
		if round%5 == 4 {
			d.crash()
		}
	}
	for i := range d.disks {
		d.disks[i].Fail()
	}
	d.drained()
	rows := d.must("history", map[string]any{"limit": 500}, nil)["entries"].([]any)
	at := w.ScansAtGateway()
	for _, row := range rows {
		id := row.(map[string]any)["scanId"].(string)
		if at[id] != 1 {
			t.Errorf("scan %s is %d times at the gateway", id, at[id])
		}
		delete(shown, id)
	}
	if len(shown) > 0 || len(rows) != len(at) {
		t.Errorf("answers without a scan: %v; %d rows, %d at the gateway", shown, len(rows), len(at))
	}
	if failed == 0 {
		t.Error("no commit failed")
	}
	t.Logf("%d scans, %d replies without an answer", len(rows), failed)
}
