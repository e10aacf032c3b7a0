package apitest

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"net/http"
	"time"

	"tcode/offline/payload"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
	"tcode/sync/wire"
)

// signedScans sends a batch that a device signs, and returns the answer.
func (w *world) signedScans(key ed25519.PrivateKey, items []wire.Item) wire.Reply {
	w.T.Helper()
	b := wire.Batch{
		ID: newID(w.T), ScannerID: wire.ScannerID(key.Public().(ed25519.PublicKey)),
		SentAt: wire.TruncateMillis(time.Now()), Items: items,
	}
	raw, err := b.Encode()
	public, signature, signing := wire.SignBatch(b, key)
	must(w.T, errors.Join(err, signing))
	a := w.Want(w.Do(harness.Request{
		Method: "POST", Path: "/v1/tcode/verify/sync", Body: raw,
		Header: http.Header{wire.HeaderDeviceKey: {public}, wire.HeaderBatchSignature: {signature}},
	}), http.StatusOK)
	reply, err := wire.DecodeReply(a.Raw)
	must(w.T, err)
	return reply
}

// scannedLate looks the erased stamp up and sends scans of it, as a device does that was offline: a
// first scan, a repeat, a second one under its id, one with a typed reference, one of a forgery,
// unsigned ones, and the single form. All have words of the person.
func (p person) scannedLate(w *world) {
	w.T.Helper()
	text := payload.EncodeText(p.payload)
	forged := bytes.Clone(p.payload)
	forged[len(forged)-1] ^= 1
	st := w.Want(w.Get(w.Key, stampsPath+"/"+p.stamp), http.StatusOK).Data()
	context := map[string]any{"note": personName, "location": personHolder, "latitudeE6": 1, "longitudeE6": 2}
	place := map[string]any{"scannerId": "cli", "location": personHolder}
	w.Want(w.Post("", "/v1/tcode/verify", map[string]any{"payload": text, "context": place}), http.StatusOK)
	w.Want(w.Post("", "/v1/tcode/verify/sync", map[string]any{"payload": text, "context": place}), http.StatusOK)
	item := func(id, member, value, offline string) wire.Item {
		it := wire.Item{ScanID: id, ScannedAt: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), OfflineVerdict: offline}
		it.Context = wire.Context{Note: personName, Location: personHolder, Coordinates: true, LatitudeE6: 1, LongitudeE6: 2}
		if member == "payload" {
			it.Payload = value
		} else {
			it.Reference = value
		}
		return it
	}
	const one, two, three = "01999999-0000-7000-8000-000000000001", "01999999-0000-7000-8000-000000000002", "01999999-0000-7000-8000-000000000003"
	first := []wire.Item{
		item(one, "payload", text, "revoked"), item(two, "reference", st["reference"].(string), "valid"), item(three, "payload", payload.EncodeText(forged), "valid"),
	}
	second := []wire.Item{item(one, "payload", text, "valid"), item(three, "payload", payload.EncodeText(forged), "revoked")}
	_, key, _ := ed25519.GenerateKey(nil)
	for i, send := range []struct {
		items []wire.Item
		want  wire.ItemOutcome
	}{{first, wire.Accepted}, {first, wire.Duplicate}, {second, wire.Conflict}, {second, wire.Conflict}} {
		for _, r := range w.signedScans(key, send.items).Results {
			if r.Result != send.want || r.ScanID == two && r.Verdict != "valid" || r.ScanID == three && r.Verdict != "not_found" {
				w.T.Errorf("batch %d: %+v, want %s", i, r, send.want)
			}
		}
	}
	body := harness.ScanBody()
	unsigned := body["items"].([]any)[0].(map[string]any)
	delete(unsigned, "reference")
	unsigned["payload"], unsigned["context"] = payload.EncodeText(forged), context
	w.Want(w.Post("", "/v1/tcode/verify/sync", body), http.StatusOK)
	must(w.T, w.Admin.Verify.Flush(w.T.Context()))
	var found int
	must(w.T, storetest.Raw(w.T, w.Dir).QueryRow(`SELECT count(*) FROM scans WHERE length(digest) = 32 AND finding <> ''`).Scan(&found))
	if found == 0 {
		w.T.Error("no scan of the erased stamp has a finding")
	}
}

// erasedAgain erases a record once more: a reason that was given since goes, and the time of the first
// erasure stays.
func (p person) erasedAgain(w *world) {
	w.T.Helper()
	at := stampsPath + "/" + p.stamp
	before := w.Want(w.Get(w.Key, at), http.StatusOK).Data()["erasedAt"]
	w.Want(w.Post(w.Key, at+"/suspend", map[string]any{"reason": personReason}), http.StatusNoContent)
	if len(tracesOf(w, personReason).found()) == 0 {
		w.T.Error("a reason of today is not stored")
	}
	w.Want(w.Post(w.Key, at+"/erase", nil), http.StatusNoContent)
	awaitErased(w, p.stamp)
	w.Want(w.Post(w.Key, at+"/reactivate", nil), http.StatusNoContent)
	for _, hit := range tracesOf(w, personReason).found() {
		w.T.Errorf("left after the second erasure in %s", hit)
	}
	if after := w.Want(w.Get(w.Key, at), http.StatusOK).Data(); after["erasedAt"] != before || before == nil {
		w.T.Errorf("erased at %v, and then at %v", before, after["erasedAt"])
	}
}
