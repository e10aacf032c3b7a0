package apitest

import (
	"crypto/ed25519"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestManageKeys: the life of API keys over the interface. A secret is shown once and
// stored nowhere, a key gives no more than it has, and every change is in the audit log.
func TestManageKeys(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		r := harness.StartOn(t, e)
		boss := r.Tenant("ACME01")
		manager := limitedKey(r, "ACME01", tenant.ScopeManage)
		create := harness.Request{
			Method: "POST", Path: keysPath, Key: boss, Body: map[string]any{"name": "registry", "scopes": []any{"STAMP", "stamp"}},
			Header: http.Header{"Idempotency-Key": {"once"}},
		}
		made := r.Want(r.Do(create), http.StatusCreated)
		secret, _ := made.Data()["secret"].(string)
		prefix, _ := made.Data()["prefix"].(string)
		if got := fmt.Sprint(made.Data()["scopes"]); got != "[stamp]" || made.Header.Get("Location") != keysPath+"/"+prefix {
			t.Errorf("made %s at %s", made.Raw, made.Header.Get("Location"))
		}
		again := r.Want(r.Do(create), http.StatusCreated)
		if again.Data()["prefix"] != prefix || again.Data()["secret"] != nil || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("the repeated answer is %s", again.Raw)
		}
		for _, path := range []string{keysPath, keysPath + "/" + prefix} {
			if a := r.Want(r.Get(boss, path), http.StatusOK); strings.Contains(string(a.Raw), secret[len(secret)-20:]) {
				t.Errorf("%s repeats the secret", path)
			}
		}
		var kept int
		err := storetest.Raw(t, r.Dir).QueryRow(`SELECT count(*) FROM once WHERE CAST(body AS TEXT) LIKE '%' || $1 || '%'`, secret[len(secret)-20:]).Scan(&kept)
		if e == storetest.Postgres {
			err = storetest.Raw(t, r.Dir).QueryRow(`SELECT count(*) FROM once WHERE position(convert_to($1, 'UTF8') IN body) > 0`, secret[len(secret)-20:]).Scan(&kept)
		}
		if err != nil || kept != 0 {
			t.Errorf("%d stored answers have the secret, %v", kept, err)
		}
		r.Want(r.Get(secret, "/v1/tcode/stamps"), http.StatusOK)

		// A key gives no more than it has.
		a := r.WantCode(r.Post(manager, keysPath, map[string]any{"name": "more", "scopes": []any{"stamp"}}), http.StatusBadRequest, "VALIDATION_FAILED")
		if a.Body["errors"].(map[string]any)["scopes"] == nil {
			t.Errorf("errors %v", a.Body["errors"])
		}
		r.WantCode(r.Post(manager, keysPath+"/"+prefix+"/rotate", nil), http.StatusBadRequest, "VALIDATION_FAILED")
		r.Want(r.Post(manager, keysPath, map[string]any{"name": "same", "scopes": []any{"manage"}}), http.StatusCreated)

		// After a rotation both keys work, for a time.
		next := r.Want(r.Post(boss, keysPath+"/"+prefix+"/rotate", map[string]any{"overlapHours": 2}), http.StatusCreated).Data()
		old := r.Want(r.Get(boss, keysPath+"/"+prefix), http.StatusOK).Data()
		ends, _ := time.Parse(time.RFC3339, fmt.Sprint(old["expiresAt"]))
		if left := time.Until(ends); left < time.Hour || left > 2*time.Hour || next["name"] != "registry" || next["expiresAt"] != nil {
			t.Errorf("the old key ends in %v; the new one is %v", left, next)
		}
		for _, key := range []string{secret, next["secret"].(string)} {
			r.Want(r.Get(key, "/v1/tcode/stamps"), http.StatusOK)
		}
		r.Want(r.Post(manager, keysPath+"/"+next["prefix"].(string)+"/rotate", nil), http.StatusBadRequest)
		r.Want(r.Post(boss, keysPath+"/"+next["prefix"].(string)+"/rotate", map[string]any{"overlapHours": 0}), http.StatusCreated)
		r.WantCode(r.Get(next["secret"].(string), "/v1/tcode/stamps"), http.StatusUnauthorized, "UNAUTHORIZED")
		for range 2 { // ending it twice is no error
			r.Want(r.Post(manager, keysPath+"/"+prefix+"/revoke", nil), http.StatusNoContent)
		}
		r.WantCode(r.Get(secret, "/v1/tcode/stamps"), http.StatusUnauthorized, "UNAUTHORIZED")
		r.WantCode(r.Post(boss, keysPath+"/"+prefix+"/rotate", nil), http.StatusConflict, "INVALID_TRANSITION")

		rows, err := r.Admin.Tenants.Audit(t.Context(), tenant.AuditFilter{Tenant: "ACME01", Action: "key.", Actor: tenant.ActorKey})
		must(t, err)
		var got []string
		for _, e := range rows {
			by := "boss"
			if strings.Contains(manager, e.By.Name) {
				by = "manager"
			}
			got = append(got, by+" "+e.Action)
		}
		if s := strings.Join(got, ", "); s != "manager key.revoke, boss key.rotate, boss key.rotate, manager key.create, boss key.create" {
			t.Errorf("audit log: %s", s)
		}
	})
}

// TestKeyUses: a key shows its uses of the day, and the address of the last request that
// needed it; a look-up by anyone's key leaves no address.
func TestKeyUses(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	h, err := r.Admin.Handler()
	must(t, err)
	second := httptest.NewServer(h)
	defer second.Close()
	harness.Watch(strings.TrimPrefix(second.URL, "http://"))
	near := &harness.Rig{T: t, URL: second.URL}
	use := func(path string) map[string]any {
		t.Helper()
		near.Want(near.Get(key, path), http.StatusOK)
		must(t, r.Admin.Tenants.FlushUses(t.Context()))
		list := r.Want(r.Get(key, keysPath), http.StatusOK).Body["items"].([]any)
		return list[0].(map[string]any)
	}
	if k := use("/v1/tcode/verify/reference/TCR-0000000000000000"); k["usedToday"] != 1.0 || k["lastUsedFrom"] != nil || k["lastUsedAt"] == nil {
		t.Errorf("after a look-up: %v", k)
	}
	if k := use("/v1/tcode/stamps"); k["usedToday"] != 2.0 || k["lastUsedFrom"] != "127.0.0.1" {
		t.Errorf("after a request: %v", k)
	}
}

// TestUsageByDay: the counts of a day are those of what was made and asked, and test
// documents are in none.
func TestUsageByDay(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorldOn(t, e) // one stamp, one Trust document
		test := testKey(w.Rig, "ACME01")
		rehearsal := w.Want(w.Post(test, "/v1/tcode/stamps", harness.StampBody("rehearsal")), http.StatusCreated).Data()
		w.Want(w.Get("", "/v1/tcode/verify/reference/"+rehearsal["reference"].(string)), http.StatusOK)
		w.FreshStamp()
		for range 3 {
			w.Want(w.Get("", "/v1/tcode/verify/reference/"+w.Standing.Reference), http.StatusOK)
		}
		w.Want(w.Get("", "/v1/tcode/verify/reference/TCR-0000000000000000"), http.StatusOK) // of no tenant
		w.freshDevice()
		w.freshDevice()
		plan(w.Rig, "ACME01", func(p *tenant.Plan) { p.Quotas[tenant.KindStamps] = 10 })
		want := "stamps 2 documents 1 verifications 3 scans 2"
		var got string
		for end := time.Now().Add(10 * time.Second); got != want && time.Now().Before(end); time.Sleep(10 * time.Millisecond) { // look-ups are written in groups
			days := w.Want(w.Get(w.Key, "/v1/usage?Days=2"), http.StatusOK).Data()["days"].([]any)
			if len(days) != 2 {
				t.Fatalf("days %v", days)
			}
			sum := map[string]float64{} // it may be midnight
			for _, d := range days {
				for name, n := range d.(map[string]any) {
					if n, ok := n.(float64); ok {
						sum[name] += n
					}
				}
			}
			got = fmt.Sprintf("stamps %v documents %v verifications %v scans %v", sum["stamps"], sum["documents"], sum["verifications"], sum["scans"])
		}
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		a := w.Want(w.Get(w.Key, "/v1/usage"), http.StatusOK)
		stamps := a.Data()["items"].([]any)[0].(map[string]any)
		if stamps["kind"] != "stamps" || stamps["used"] != 2.0 || stamps["usedTest"] != 1.0 || stamps["quota"] != 10.0 {
			t.Errorf("stamps %v", stamps)
		}
		if days := a.Data()["days"].([]any); len(days) < 28 || days[0].(map[string]any)["day"] != a.Data()["month"].(string)+"-01" {
			t.Errorf("%d days of %v, from %v", len(days), a.Data()["month"], days[0])
		}
		past := w.Want(w.Get(w.Key, "/v1/usage?Month=2025-02"), http.StatusOK).Data()
		if days := past["days"].([]any); len(days) != 28 || past["items"].([]any)[0].(map[string]any)["used"] != 0.0 {
			t.Errorf("February 2025: %v", past)
		}
		stranger := w.Want(w.Get(w.Tenant("OTHER1"), "/v1/usage?Days=2"), http.StatusOK)
		if strings.Contains(string(stranger.Raw), `"stamps":1`) || strings.Contains(string(stranger.Raw), `"stamps":2`) {
			t.Errorf("another tenant's usage: %s", stranger.Raw)
		}
	})
}

// TestManageAudit: each filter of the audit log selects its rows, pages have all of them
// once, and the table has the same rows.
func TestManageAudit(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorldOn(t, e)
		w.Tenant("OTHER1")
		id := w.FreshStamp()
		w.Want(w.Post(w.Key, "/v1/tcode/stamps/"+id+"/revoke", map[string]any{"reason": "=lost"}), http.StatusNoContent)
		list := func(query string) (actions []string, total float64) {
			t.Helper()
			a := w.Want(w.Get(w.Key, "/v1/audit"+query), http.StatusOK)
			for _, item := range a.Body["items"].([]any) {
				actions = append(actions, item.(map[string]any)["action"].(string))
			}
			return actions, a.Body["totalCount"].(float64)
		}
		everything, total := list("?PageSize=100")
		if int(total) != len(everything) || everything[0] != "stamp.revoke" || everything[len(everything)-1] != "tenant.create" {
			t.Errorf("%v rows: %v", total, everything)
		}
		var paged []string
		for page := 1; len(paged) < int(total); page++ {
			some, _ := list(fmt.Sprintf("?PageSize=3&Page=%d", page))
			if len(some) == 0 {
				break
			}
			paged = append(paged, some...)
		}
		if fmt.Sprint(paged) != fmt.Sprint(everything) {
			t.Errorf("by pages %v, want %v", paged, everything)
		}
		prefix := strings.Split(w.Key, "_")[2]
		now := time.Now().UTC()
		for query, want := range map[string]string{
			"?Subject=" + id: "stamp.revoke stamp.create", "?Subject=" + id + "&Action=stamp.revoke": "stamp.revoke", "?Action=tenant.": "tenant.create",
			"?Action=stamp.&Subject=" + id: "stamp.revoke stamp.create", "?Actor=USER": "", "?Actor=key&Action=stamp.revoke": "stamp.revoke",
			"?By=" + prefix + "&Action=stamp.revoke": "stamp.revoke", "?By=00000000": "", "?Action=batch.": "",
			"?Action=stamp.revoke&From=" + now.Add(time.Hour).Format(time.RFC3339): "", "?Action=stamp.revoke&To=" + now.Add(time.Hour).Format(time.RFC3339): "stamp.revoke",
		} {
			if got, n := list(query); strings.Join(got, " ") != want || int(n) != len(got) {
				t.Errorf("%s: %v rows %v, want %s", query, n, got, want)
			}
		}
		a := w.Do(harness.Request{Method: "GET", Path: "/v1/audit?Action=stamp.", Key: w.Key, Header: http.Header{"Accept": {"text/csv"}}})
		table := tableOf(t, w.Want(a, http.StatusOK).Raw)
		got, _ := list("?Action=stamp.")
		if len(table) != len(got)+1 || table[0][4] != "action" || table[1][4] != "stamp.revoke" || table[1][3] != prefix {
			t.Errorf("table %v of %d rows", table, len(got))
		}
	})
}

// TestManageDevices: a tenant names and refuses devices for itself alone. A refused
// device's scans arrive as before, each once, and only that tenant sees the mark.
func TestManageDevices(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		r := harness.StartOn(t, e)
		acme, other := r.Tenant("ACME01"), r.Tenant("OTHER1")
		ours, theirs := r.Stamp(acme, "ours").Reference, r.Stamp(other, "theirs").Reference
		_, key, _ := ed25519.GenerateKey(nil)
		id := scanWith(r, key, 1, ours)
		r.WantCode(r.Get(other, devicesPath+"/"+id), http.StatusNotFound, "NOT_FOUND")
		scanWith(r, key, 2, theirs)

		d := r.Want(r.Do(harness.Request{Method: "PATCH", Path: devicesPath + "/" + id, Key: acme, Body: map[string]any{"name": "Gate 2"}}), http.StatusOK).Data()
		if d["name"] != "Gate 2" || d["scans"] != 1.0 || d["freshness"] != "fresh" || d["refused"] != false || d["clockSkewMs"] == nil {
			t.Errorf("the device is %v", d)
		}
		d = r.Want(r.Post(acme, devicesPath+"/"+id+"/refuse", map[string]any{"reason": "stolen"}), http.StatusOK).Data()
		if d["refused"] != true || d["refusedReason"] != "stolen" {
			t.Errorf("the refused device is %v", d)
		}
		scanWith(r, key, 3, ours) // is answered with 200, as before
		scanWith(r, key, 4, theirs)
		marks := func(key, reference string) string {
			t.Helper()
			var marks []string
			a := r.Want(r.Get(key, "/v1/tcode/verify/document/"+reference+"/scans"), http.StatusOK)
			for _, s := range a.Body["items"].([]any) {
				marks = append(marks, fmt.Sprint(s.(map[string]any)["deviceRefused"]))
			}
			return strings.Join(marks, " ")
		}
		for _, tt := range []struct{ key, reference, want string }{
			{acme, ours, "true false"}, {other, theirs, "false false"}, {other, ours, "<nil> <nil>"}, {"", ours, "<nil> <nil>"},
		} {
			if got := marks(tt.key, tt.reference); got != tt.want {
				t.Errorf("marks of scans: %s, want %s", got, tt.want)
			}
		}
		if a := r.Want(r.Get(other, devicesPath+"/"+id), http.StatusOK); a.Data()["name"] != nil || a.Data()["refused"] != false || a.Data()["scans"] != 2.0 || strings.Contains(string(a.Raw), "stolen") {
			t.Errorf("to another tenant the device is %s", a.Raw)
		}
		for query, want := range map[string]float64{"": 1, "?Refused=true": 1, "?Flagged=true": 0, "?Freshness=fresh": 1, "?Freshness=too_old": 0} {
			if a := r.Want(r.Get(acme, devicesPath+query), http.StatusOK); a.Body["totalCount"] != want {
				t.Errorf("%s: %s", query, a.Raw)
			}
		}
		r.Want(r.Post(acme, devicesPath+"/"+id+"/accept", nil), http.StatusOK)
		if got := marks(acme, ours); got != "false false" {
			t.Errorf("marks after the device was accepted: %s", got)
		}
		a := r.Want(r.Get(acme, "/v1/audit?Action=device."), http.StatusOK)
		if got := string(a.Raw); a.Body["totalCount"] != 3.0 || !strings.Contains(got, "device.refuse") || !strings.Contains(got, id) {
			t.Errorf("audit log: %s", got)
		}
		n, err := r.Admin.Verify.CountTenantDevices(t.Context(), "ACME01")
		if must(t, err); n.All != 1 || n.Fresh != 1 || n.Refused != 0 {
			t.Errorf("counts %+v", n)
		}
	})
}
