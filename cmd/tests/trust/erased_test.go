package trust_test

import (
	"net/http"
	"testing"
	"time"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/world"
	"tcode/scanner/answer"
	"tcode/server"
)

// TestErasedOnDevice: a device gives the same answer about a file after its stamp was
// erased on the gateway, also when the signing key is compromised afterwards, and learns a
// later revocation.
func TestErasedOnDevice(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	by := w.Issuers[0]
	p := w.Stamp(by, "Diploma of Ada Müller", world.Document(t, "diploma.pdf"))
	s := w.Scanner("device")
	verdict := func() answer.Finding {
		t.Helper()
		w.Republish()
		if _, err := s.Refresh(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		found, err := s.Verify(t.Context(), "paper.pdf", p.PDF, device.VerifyOptions{})
		if err != nil || len(found) != 1 {
			t.Fatalf("%d findings, %v", len(found), err)
		}
		return found[0]
	}
	before := verdict()
	if before.Result.Verdict != "valid" {
		t.Fatalf("before: %+v", before.Result)
	}
	w.Call(by, http.MethodPost, "/v1/tcode/stamps/"+p.ID+"/erase", nil, nil)
	if after := verdict(); after.Result.Verdict != before.Result.Verdict || after.Result.Assurance != before.Result.Assurance {
		t.Errorf("after the erasure: %+v", after.Result)
	}
	g, err := server.Open(t.Context(), server.Config{Data: w.Data})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if _, err := g.Tenants.CompromiseSigningKey(t.Context(), by.Reference, 0,
		time.Now().Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	if after := verdict(); after.Result.Verdict != before.Result.Verdict {
		t.Errorf("with a compromised key: %+v", after.Result)
	}
	w.Call(by, http.MethodPost, "/v1/tcode/stamps/"+p.ID+"/revoke", nil, nil)
	if after := verdict(); after.Result.Verdict != "revoked" {
		t.Errorf("revoked after the erasure: %+v", after.Result)
	}
}
