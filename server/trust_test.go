package server_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/offline/trust"
)

// refresh does what a device does: roots, timestamp, then what it lacks by hash.
func (r *rig) refresh() trust.State {
	r.t.Helper()
	const base = "/v1/reference-data/trust-store/"
	root := r.want(r.do(request{method: "GET", path: base + "root/1"}), 200).raw
	r.want(r.do(request{method: "GET", path: base + "root/2"}), 404)
	fp := r.admin.Publisher.Fingerprint()
	state, err := trust.Pin([][]byte{root}, &fp)
	if err != nil {
		r.t.Fatal(err)
	}
	up := trust.Update{Timestamp: r.want(r.do(request{method: "GET", path: base + "timestamp"}), 200).raw, Packs: map[uint16][]byte{}, Shards: map[uint16][]byte{}}
	online, err := trust.ParseVerifierKey(r.admin.Publisher.PublicKey().Note)
	if err != nil {
		r.t.Fatal(err)
	}
	ts, err := trust.ParseTimestamp(fp, online, up.Timestamp)
	if err != nil {
		r.t.Fatal(err)
	}
	object := func(sum digest.SHA256) []byte {
		return r.want(r.do(request{method: "GET", path: base + sum.String()}), 200).raw
	}
	up.Bundle, up.Status = object(ts.Bundle.SHA256), object(ts.Status.SHA256)
	status, err := trust.ParseStatus(fp, online, up.Status)
	if err != nil {
		r.t.Fatal(err)
	}
	for i, hash := range status.Packs {
		up.Packs[uint16(i)] = object(hash)
		pack, err := trust.ParsePack(up.Packs[uint16(i)])
		if err != nil {
			r.t.Fatal(err)
		}
		for j, hash := range pack {
			up.Shards[uint16(i*trust.PackShards+j)] = object(hash)
		}
		whole := r.want(r.do(request{method: "GET", path: base + "packs/" + hash.String()}), 200).raw
		if raw, shards, err := status.Unpack(uint16(i), whole); err != nil || !bytes.Equal(raw, up.Packs[uint16(i)]) || len(shards) != len(pack) {
			r.t.Fatalf("pack %d with its shards: %d of %d, %v", i, len(shards), len(pack), err)
		}
	}
	if _, err := trust.ParseDelta(object(status.Delta.SHA256)); err != nil {
		r.t.Fatal(err)
	}
	state, _, err = state.Apply(up)
	if err != nil {
		r.t.Fatal(err)
	}
	return state
}

func TestTrustStore(t *testing.T) {
	t.Parallel()
	r := start(t)
	state := r.refresh()
	const base = "/v1/reference-data/trust-store/"
	a := r.want(r.do(request{method: "GET", path: base + "timestamp"}), 200)
	if got := a.Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("timestamp: Cache-Control %q", got)
	}
	same := http.Header{"If-None-Match": {a.Header.Get("ETag")}}
	if got := r.do(request{method: "GET", path: base + "timestamp", header: same}); got.StatusCode != 304 {
		t.Errorf("timestamp again: %d, want 304", got.StatusCode)
	}
	for _, path := range []string{base + "root/1", base + hex.EncodeToString(state.Timestamp.Bundle.SHA256[:])} {
		a := r.want(r.do(request{method: "GET", path: path}), 200)
		sum := sha256.Sum256(a.raw)
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
	r.wantCode(r.do(request{method: "GET", path: base + strings.Repeat("0", 64)}), 404, "NOT_FOUND")
	r.wantCode(r.do(request{method: "GET", path: base + "nonsense"}), 400, "VALIDATION_FAILED")
	r.wantCode(r.do(request{method: "GET", path: base + "root/0"}), 400, "VALIDATION_FAILED")
	// Devices that ask for any type get the note.
	r.want(r.do(request{method: "GET", path: base + "timestamp", header: http.Header{"Accept": {"application/octet-stream"}}}), 200)
}

// TestOperatorsChangeIsPublished: another process changes the data folder, and
// the gateway that serves it publishes that by itself.
func TestOperatorsChangeIsPublished(t *testing.T) {
	t.Parallel()
	r := start(t)
	before := r.refresh()
	r.tenant("LATER1")
	deadline := time.Now().Add(30 * time.Second) // a second is promised; a loaded machine gets more
	for {
		state := r.refresh()
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
	r := start(t)
	r.tenant("ACME01")
	r.tenant("GONE01")
	if err := r.admin.Tenants.Suspend(t.Context(), "GONE01"); err != nil {
		t.Fatal(err)
	}
	tenants := r.want(r.do(request{method: "GET", path: "/v1/reference-data/tenants"}), 200).body["items"].([]any)
	if len(tenants) != 1 || tenants[0].(map[string]any)["tenantReference"] != "ACME01" {
		t.Errorf("tenants = %v, want the active one", tenants)
	}
	keys := r.want(r.do(request{method: "GET", path: "/v1/reference-data/public-keys"}), 200).body["items"].([]any)
	if len(keys) != 1 || keys[0].(map[string]any)["keyId"] != "ACME01-0" {
		t.Errorf("keys = %v, want those of the active tenant", keys)
	}
	one := r.want(r.do(request{method: "GET", path: "/v1/reference-data/public-keys/acme01"}), 200).data()
	if one["crv"] != "Ed25519" || one["status"] != "signing" || !strings.HasPrefix(one["publicKeyPem"].(string), "-----BEGIN PUBLIC KEY-----\n") {
		t.Errorf("key = %v", one)
	}
	r.wantCode(r.do(request{method: "GET", path: "/v1/reference-data/public-keys/NOBODY"}), 404, "NOT_FOUND")
	online := r.want(r.do(request{method: "GET", path: "/v1/tcode/verify/public-key"}), 200).data()
	if online["rootFingerprint"] != r.admin.Publisher.Fingerprint().String() || online["tenantReference"] != nil {
		t.Errorf("online key = %v", online)
	}
	named := r.want(r.do(request{method: "GET", path: "/v1/tcode/verify/public-key?TENANTREFERENCE=ACME01&keyId=ACME01-0"}), 200).data()
	if named["x"] != one["x"] {
		t.Errorf("named key = %v", named)
	}
	r.wantCode(r.do(request{method: "GET", path: "/v1/tcode/verify/public-key?tenantReference=ACME01&keyId=ACME01-9"}), 404, "NOT_FOUND")
}
