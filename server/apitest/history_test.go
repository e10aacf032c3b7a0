package apitest

import (
	"testing"

	"tcode/server/internal/harness"
)

// TestHistoryOfBadKeys: the histories of verifications refuse a key that is no good,
// and need none.
//
//engine:sqlite the key decides
func TestHistoryOfBadKeys(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key, stopped := r.Tenant("ACME01"), r.Tenant("STOP01")
	must(t, r.Admin.Tenants.Suspend(t.Context(), "STOP01"))
	for _, path := range []string{"/v1/tcode/verify/history", "/v1/trust/verify/history"} {
		for _, bad := range []string{"tck_live_bad", "x", key + "0"} {
			r.WantCode(r.Get(bad, path), 401, "UNAUTHORIZED")
		}
		r.WantCode(r.Get(stopped, path), 403, "FORBIDDEN")
		r.Want(r.Get(key, path), 200)
		if a := r.Want(r.Get("", path), 200); a.Body["totalCount"] != 0.0 {
			t.Errorf("without a key: %s", a.Raw)
		}
	}
	// A look-up ignores a bad key (SPEC 5.6).
	r.Want(r.Get("tck_live_bad", "/v1/tcode/verify/reference/TCR-0000000000000000"), 200)
}
