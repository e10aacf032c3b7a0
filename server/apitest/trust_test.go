package apitest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/offline/trust"
	"tcode/server/internal/harness"
)

// refresh works as a device does: it gets the roots, the timestamp, and then the
// missing documents by their hashes.
func refresh(r *harness.Rig) trust.State {
	r.T.Helper()
	const base = "/v1/reference-data/trust-store/"
	root := r.Want(r.Get("", base+"root/1"), 200).Raw
	r.Want(r.Get("", base+"root/2"), 404)
	fp := r.Admin.Publisher.Fingerprint()
	state, err := trust.Pin([][]byte{root}, &fp)
	if err != nil {
		r.T.Fatal(err)
	}
	up := trust.Update{Timestamp: r.Want(r.Get("", base+"timestamp"), 200).Raw, Packs: map[uint16][]byte{}, Shards: map[uint16][]byte{}}
	online, err := trust.ParseVerifierKey(r.Admin.Publisher.PublicKey().Note)
	if err != nil {
		r.T.Fatal(err)
	}
	ts, err := trust.ParseTimestamp(fp, online, up.Timestamp)
	if err != nil {
		r.T.Fatal(err)
	}
	object := func(sum digest.SHA256) []byte {
		return r.Want(r.Get("", base+sum.String()), 200).Raw
	}
	up.Bundle, up.Status = object(ts.Bundle.SHA256), object(ts.Status.SHA256)
	status, err := trust.ParseStatus(fp, online, up.Status)
	if err != nil {
		r.T.Fatal(err)
	}
	for i, hash := range status.Packs {
		up.Packs[uint16(i)] = object(hash)
		pack, err := trust.ParsePack(up.Packs[uint16(i)])
		if err != nil {
			r.T.Fatal(err)
		}
		for j, hash := range pack {
			up.Shards[uint16(i*trust.PackShards+j)] = object(hash)
		}
		whole := r.Want(r.Get("", base+"packs/"+hash.String()), 200).Raw
		if raw, shards, err := status.Unpack(uint16(i), whole); err != nil || !bytes.Equal(raw, up.Packs[uint16(i)]) || len(shards) != len(pack) {
			r.T.Fatalf("pack %d with its shards: %d of %d, %v", i, len(shards), len(pack), err)
		}
	}
	if _, err := trust.ParseDelta(object(status.Delta.SHA256)); err != nil {
		r.T.Fatal(err)
	}
	state, _, err = state.Apply(up)
	if err != nil {
		r.T.Fatal(err)
	}
	return state
}

func TestTrustStore(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	state := refresh(r)
	const base = "/v1/reference-data/trust-store/"
	a := r.Want(r.Get("", base+"timestamp"), 200)
	if got := a.Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("timestamp: Cache-Control %q", got)
	}
	same := http.Header{"If-None-Match": {a.Header.Get("ETag")}}
	if got := r.Do(harness.Request{Method: "GET", Path: base + "timestamp", Header: same}); got.StatusCode != 304 {
		t.Errorf("timestamp again: %d, want 304", got.StatusCode)
	}
	for _, path := range []string{base + "root/1", base + hex.EncodeToString(state.Timestamp.Bundle.SHA256[:])} {
		a := r.Want(r.Get("", path), 200)
		sum := sha256.Sum256(a.Raw)
		if got, want := a.Header.Get("ETag"), `"`+hex.EncodeToString(sum[:])+`"`; got != want {
			t.Errorf("%s: ETag %s, want %s", path, got, want)
		}
		if got := a.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
		if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("%s: %s", path, a.Header.Get("Content-Type"))
		}
	}
	r.WantCode(r.Get("", base+strings.Repeat("0", 64)), 404, "NOT_FOUND")
	r.WantCode(r.Get("", base+"nonsense"), 400, "VALIDATION_FAILED")
	r.WantCode(r.Get("", base+"root/0"), 400, "VALIDATION_FAILED")
	// Devices that accept any type get the note.
	r.Want(r.Do(harness.Request{Method: "GET", Path: base + "timestamp", Header: http.Header{"Accept": {"application/octet-stream"}}}), 200)
}

// TestOperatorsChangeIsPublished: another process changes the data folder, and
// the gateway that serves it publishes the change.
func TestOperatorsChangeIsPublished(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	before := refresh(r)
	r.Tenant("LATER1")
	deadline := time.Now().Add(30 * time.Second) // the gateway promises a second; a loaded machine may need more
	for {
		state := refresh(r)
		if slices.ContainsFunc(state.Bundle.Tenants, func(x trust.Tenant) bool { return x.Reference == "LATER1" }) {
			if state.Timestamp.Version <= before.Timestamp.Version {
				t.Errorf("version went from %d to %d", before.Timestamp.Version, state.Timestamp.Version)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the new tenant is not in the bundle")
		}
		time.Sleep(20 * time.Millisecond) // polling, not luck: the deadline decides
	}
}

func TestReferenceData(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	r.Tenant("GONE01")
	if err := r.Admin.Tenants.Suspend(t.Context(), "GONE01"); err != nil {
		t.Fatal(err)
	}
	tenants := r.Want(r.Get("", "/v1/reference-data/tenants"), 200).Body["items"].([]any)
	if len(tenants) != 1 || tenants[0].(map[string]any)["tenantReference"] != "ACME01" {
		t.Errorf("tenants = %v, want the active one", tenants)
	}
	keys := r.Want(r.Get("", "/v1/reference-data/public-keys"), 200).Body["items"].([]any)
	if len(keys) != 1 || keys[0].(map[string]any)["keyId"] != "ACME01-0" {
		t.Errorf("keys = %v, want those of the active tenant", keys)
	}
	one := r.Want(r.Get("", "/v1/reference-data/public-keys/acme01"), 200).Data()
	if one["crv"] != "Ed25519" || one["status"] != "signing" || !strings.HasPrefix(one["publicKeyPem"].(string), "-----BEGIN PUBLIC KEY-----\n") {
		t.Errorf("key = %v", one)
	}
	r.WantCode(r.Get("", "/v1/reference-data/public-keys/NOBODY"), 404, "NOT_FOUND")
	online := r.Want(r.Get("", "/v1/tcode/verify/public-key"), 200).Data()
	if online["rootFingerprint"] != r.Admin.Publisher.Fingerprint().String() || online["tenantReference"] != nil {
		t.Errorf("online key = %v", online)
	}
	named := r.Want(r.Get("", "/v1/tcode/verify/public-key?TENANTREFERENCE=ACME01&keyId=ACME01-0"), 200).Data()
	if named["x"] != one["x"] {
		t.Errorf("named key = %v", named)
	}
	r.WantCode(r.Get("", "/v1/tcode/verify/public-key?tenantReference=ACME01&keyId=ACME01-9"), 404, "NOT_FOUND")
	st := r.Stamp(key, "a payload names its key")
	text := url.QueryEscape(string(r.Download(key, st.Id.String(), "payload")))
	signer := r.Want(r.Get("", "/v1/tcode/verify/public-key?payload="+text), 200).Data()
	if signer["keyId"] != "ACME01-0" || signer["publicKeyPem"] != named["publicKeyPem"] {
		t.Errorf("the key of a payload: %v", signer)
	}
	r.WantCode(r.Get("", "/v1/tcode/verify/public-key?payload=x"), 400, "INVALID_PAYLOAD")
	r.WantCode(r.Get("", "/v1/tcode/verify/public-key?tenantReference=ACME01&payload="+text), 400, "VALIDATION_FAILED")
}
