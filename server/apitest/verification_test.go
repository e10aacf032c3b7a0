package apitest

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/offline/trust"
	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/internal/harness"
	"tcode/sync/wire"
)

// said counts the members of a record that are not null.
func said(record any) (n int) {
	for _, v := range record.(map[string]any) {
		if v != nil {
			n++
		}
	}
	return n
}

func TestUnknownIsNotFound(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	for _, path := range []string{
		"/v1/tcode/verify/reference/TCR-0000000000000000",
		"/v1/tcode/verify/reference/nonsense",
		"/v1/tcode/verify/reference/%2e%2e%2fsecret",
		"/v1/tcode/verify/hash/" + "00",
		"/v1/tcode/verify/hash/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	} {
		a := r.Want(r.Get("", path), 200)
		if string(a.Raw) != `{"data":{"verdict":"not_found"}}`+"\n" {
			t.Errorf("%s: %s", path, a.Raw)
		}
	}
}

func TestPayloads(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	text := string(r.Download(key, r.Stamp(key, "p").Id.String(), "payload"))
	raw, err := wire.PayloadBytes(text)
	if err != nil {
		t.Fatal(err)
	}
	forged := append([]byte{}, raw...)
	forged[len(forged)-1] ^= 1
	tests := []struct {
		name, payload string
		status        int
		want          string // verdict, or code
	}{
		{"text", text, 200, "valid"},
		{"bytes", base64.StdEncoding.EncodeToString(raw), 200, "valid"},
		{"text in Base64", base64.StdEncoding.EncodeToString([]byte(text)), 200, "valid"},
		{"forged", base64.StdEncoding.EncodeToString(forged), 200, "not_found"},
		{"cut", base64.StdEncoding.EncodeToString(raw[:50]), 400, "INVALID_PAYLOAD"},
		{"nothing known", "hello", 400, "INVALID_PAYLOAD"},
		{"empty", "", 400, "VALIDATION_FAILED"},
	}
	for _, tt := range tests {
		a := r.Want(r.Post("", "/v1/tcode/verify", map[string]any{"payload": tt.payload}), tt.status)
		if got := a.Data()["verdict"]; tt.status == 200 && got != tt.want {
			t.Errorf("%s: verdict %v, want %s", tt.name, got, tt.want)
		}
		if got := a.Body["code"]; tt.status != 200 && got != tt.want {
			t.Errorf("%s: code %v, want %s", tt.name, got, tt.want)
		}
	}
	a := r.Post("", "/v1/tcode/verify", map[string]any{"payload": base64.StdEncoding.EncodeToString(forged)})
	if checks, _ := a.Data()["checks"].([]any); len(checks) == 0 || a.Data()["issuerName"] != nil {
		t.Errorf("a forged payload answers %s, want the failed check and nothing about the issuer", a.Raw)
	}
}

// TestSync sends scans with the code that scanners use.
func TestSync(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	st := r.Stamp(key, "scanned")
	text := string(r.Download(key, st.Id.String(), "payload"))
	_, device, _ := ed25519.GenerateKey(nil)
	scanner := wire.ScannerID(device.Public().(ed25519.PublicKey))
	now := wire.TruncateMillis(time.Now())
	batch := wire.Batch{ID: "batch-1", ScannerID: scanner, SentAt: now, Items: []wire.Item{
		{ScanID: newID(t), Seq: 1, Payload: text, ScannedAt: now, OfflineVerdict: "valid", Context: wire.Context{Location: "gate 4"}},
		{ScanID: newID(t), Seq: 2, Reference: "TCR-0000000000000000", ScannedAt: now},
	}}
	send := func(b wire.Batch, signed bool) harness.Answer {
		t.Helper()
		body, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		q := harness.Request{Method: "POST", Path: wire.Path, Body: body, Header: http.Header{wire.HeaderBatchID: {b.ID}}}
		if signed {
			public, signature, err := wire.SignBatch(b, device)
			if err != nil {
				t.Fatal(err)
			}
			q.Header.Set(wire.HeaderDeviceKey, public)
			q.Header.Set(wire.HeaderBatchSignature, signature)
		}
		a := r.Do(q)
		if got := a.Header.Get(wire.HeaderBatchID); got != b.ID {
			t.Errorf("%s = %q, want %q", wire.HeaderBatchID, got, b.ID)
		}
		return a
	}
	reply, err := wire.DecodeReply(r.Want(send(batch, true), 200).Raw)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := reply.Result(batch.Items[0].ScanID)
	second, _ := reply.Result(batch.Items[1].ScanID)
	if first.Result != wire.Accepted || first.Verdict != "valid" || second.Result != wire.Accepted || second.Verdict != "not_found" {
		t.Errorf("results = %+v", reply.Results)
	}
	online, err := trust.ParseVerifierKey(r.Admin.Publisher.PublicKey().Note)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := online.NoteVerifier()
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := wire.OpenReceipt(reply.Receipt, verifier)
	if err != nil {
		t.Fatal(err)
	}
	if err := receipt.Match(batch, reply.Results); err != nil || receipt.LastSeq != 2 {
		t.Errorf("receipt %+v: %v", receipt, err)
	}

	// The same scans again after a revocation do not count as new ones.
	r.Want(r.Post(key, "/v1/tcode/stamps/"+st.Id.String()+"/revoke", nil), 204)
	batch.ID = "batch-2"
	reply, _ = wire.DecodeReply(r.Want(send(batch, true), 200).Raw)
	if got, _ := reply.Result(batch.Items[0].ScanID); got.Result != wire.Duplicate || got.Verdict != "revoked" || got.VerdictAtScan != "valid" || !got.Changed {
		t.Errorf("again: %+v", got)
	}
	batch.ID, batch.Items[0].Context.Location = "batch-3", "elsewhere"
	reply, _ = wire.DecodeReply(r.Want(send(batch, true), 200).Raw)
	if got, _ := reply.Result(batch.Items[0].ScanID); got.Result != wire.Conflict {
		t.Errorf("changed: %+v", got)
	}

	// Everyone sees both verdicts and the time. Only the tenant sees the scanner.
	path := "/v1/tcode/verify/document/" + st.Reference + "/scans"
	anyone := r.Want(r.Get("", path), 200).Body["items"].([]any)
	if len(anyone) != 1 || said(anyone[0]) != 3 {
		t.Errorf("anyone sees %v", anyone)
	}
	own := r.Want(r.Get(key, path), 200).Body["items"].([]any)[0].(map[string]any)
	if own["scannerId"] != scanner || own["signed"] != true || own["location"] != "gate 4" || own["offlineVerdict"] != "valid" {
		t.Errorf("the tenant sees %v", own)
	}
	other := r.Want(r.Get(r.Tenant("OTHER1"), path), 200).Body["items"].([]any)
	if len(other) != 1 || said(other[0]) != 3 {
		t.Errorf("another tenant sees %v", other)
	}
	if a := r.Want(r.Get("tck_live_bad", path), 200); a.Body["totalCount"] != 1.0 {
		t.Errorf("with a bad key: %s", a.Raw)
	}
}

func newID(t *testing.T) string {
	t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return id.String()
}

// TestSyncRefusals: every refusal has the batch's id, so that a device can
// distinguish it from a captive portal.
func TestSyncRefusals(t *testing.T) {
	t.Parallel()
	r := harness.Start(t, func(c *server.Config) {
		l := httpapi.Limits{ScansPerMinute: 3}
		c.Limits = &l
	})
	item := func() string {
		return `{"scanId":"` + newID(t) + `","reference":"TCR-0000000000000000","scannedAt":"2026-11-20T10:00:00Z"}`
	}
	body := func(items string) string {
		return `{"batchId":"b1","scannerId":"gate-1","sentAt":"2026-11-20T10:00:00Z","items":[` + items + `]}`
	}
	tests := []struct {
		name, body string
		header     http.Header
		status     int
		field      string
	}{
		{"no JSON", `{`, nil, 400, "$body"},
		{"empty", ``, nil, 400, "$body"},
		{"no items", body(""), nil, 400, "items"},
		{"twice", `{"batchId":"b1","batchId":"b1","scannerId":"g","items":[` + item() + `]}`, nil, 400, "batchId"},
		{"bad scan id", body(`{"scanId":"1","reference":"x","scannedAt":"2026-11-20T10:00:00Z"}`), nil, 400, "items[0].scanId"},
		{"other id in header", body(item()), http.Header{wire.HeaderBatchID: {"b2"}}, 400, wire.HeaderBatchID},
		{"bad signature", body(item()), http.Header{wire.HeaderDeviceKey: {"AAAA"}, wire.HeaderBatchSignature: {"AAAA"}}, 401, ""},
		{"not JSON by type", body(item()), http.Header{"Content-Type": {"text/html"}}, 415, ""},
		{"not acceptable", body(item()), http.Header{"Accept": {"image/png"}}, 406, ""},
		{"too large", body(item() + string(make([]byte, wire.MaxBodyBytes))), nil, 413, ""},
		{"more in one batch than a minute allows", body(item() + "," + item() + "," + item() + "," + item()), nil, 413, ""},
		{"too often", body(item() + "," + item() + "," + item()), nil, 429, ""}, // one was spent on the bad signature
	}
	for _, tt := range tests {
		q := harness.Request{Method: "POST", Path: wire.Path, Body: orNil(tt.body), Header: http.Header{wire.HeaderBatchID: {"b1"}}}
		for name, v := range tt.header {
			q.Header[name] = v
		}
		a := r.Do(q)
		if a.StatusCode != tt.status {
			t.Errorf("%s: status %d, want %d: %s", tt.name, a.StatusCode, tt.status, a.Raw)
		}
		if got := a.Header.Get(wire.HeaderBatchID); got != "b1" && got != "b2" {
			t.Errorf("%s: the answer lacks the batch's id", tt.name)
		}
		if errors, _ := a.Body["errors"].(map[string]any); tt.field != "" && errors[tt.field] == nil {
			t.Errorf("%s: errors %v, want one at %s", tt.name, errors, tt.field)
		}
	}
}

// TestScanLimitHoldsForAnyName: a client that uses a different scanner id each time
// cannot send more scans than its address may.
func TestScanLimitHoldsForAnyName(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	r := harness.Start(t, func(c *server.Config) {
		c.Limits = &httpapi.Limits{ScansPerMinute: 1}
		c.Now = func() time.Time { return at }
	})
	for i := range 11 {
		body := fmt.Sprintf(`{"batchId":"b%d","scannerId":"gate-%d","sentAt":"2026-11-20T10:00:00Z","items":[{"scanId":"%s","reference":"x","scannedAt":"2026-11-20T10:00:00Z"}]}`, i, i, newID(t))
		want := 200
		if i == 10 {
			want = 429
		}
		r.Want(r.Post("", wire.Path, body), want)
	}
}

// TestSingleScan sends one scan in the form of the usage example, and repeats it.
func TestSingleScan(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	st := r.Stamp(key, "single")
	text := string(r.Download(key, st.Id.String(), "payload"))
	q := harness.Request{Method: "POST", Path: wire.Path, Header: http.Header{"Idempotency-Key": {"once"}}, Body: map[string]any{
		"payload": text, "context": map[string]any{"scannerId": "gate-1", "location": "Berlin"},
	}}
	one := r.Want(r.Do(q), 200)
	two := r.Want(r.Do(q), 200)
	id := func(a harness.Answer) any { return a.Data()["results"].([]any)[0].(map[string]any)["scanId"] }
	if id(one) == "" || id(one) != id(two) {
		t.Errorf("a repeat has scan id %v, the first %v", id(two), id(one))
	}
	if got := two.Data()["results"].([]any)[0].(map[string]any)["result"]; got != "duplicate" {
		t.Errorf("a repeat is %v, want duplicate", got)
	}
	scans := r.Want(r.Get("", "/v1/tcode/verify/document/"+st.Reference+"/scans"), 200)
	if scans.Body["totalCount"] != 1.0 {
		t.Errorf("%v scans, want 1", scans.Body["totalCount"])
	}
}
