package apitest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestScopes: a key opens the operations of its scopes and no others. The scope of each
// operation is that of the contract, and each operation that needs a key has one.
func TestScopes(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorldOn(t, e)
		keys := map[tenant.Scope]string{}
		for _, s := range tenant.Scopes() {
			keys[s] = limitedKey(w.Rig, "ACME01", s)
		}
		refused, opened := 0, 0
		for _, id := range ids(operations()) {
			op := operations()[id]
			scope := op.scope()
			switch {
			case scope == "" && op.protected:
				t.Errorf("%s needs a key, and has no x-scope", id)
				continue
			case scope == "":
				continue
			case !slices.Contains(tenant.Scopes(), scope):
				t.Errorf("%s has the unknown scope %s", id, scope)
			}
			// A key without the scope is refused before anything of the request is read.
			for s, key := range keys {
				q := harness.Request{Method: op.method, Path: fill(fill(op.path, anonymous), anonymous), Key: key}
				if op.body != nil {
					q.Body = "no JSON"
				}
				a := w.Do(q)
				missing := a.StatusCode == http.StatusForbidden && a.Body["reason"] == "missing_scope"
				if !op.protected { // it says so in a header, and answers
					missing = a.StatusCode == http.StatusOK && a.Header.Get("X-Api-Key-Problem") != ""
					a.Body = map[string]any{"message": a.Header.Get("X-Api-Key-Problem")}
				}
				if missing != (s != scope) {
					t.Errorf("%s, whose scope is %s, with a key for %s: %d %s", id, scope, s, a.StatusCode, a.Raw)
				}
				if !missing {
					opened++
					continue
				}
				refused++
				if message, _ := a.Body["message"].(string); !strings.Contains(message, "lacks the scope "+string(scope)) {
					t.Errorf("%s: the message does not name the scope: %s", id, message)
				}
			}
		}
		if refused < 120 || opened < 60 {
			t.Errorf("%d requests refused, %d not", refused, opened)
		}
	})
}

// TestScopesOfOldKeys: a key that names no scope, as all keys from before, does what keys
// did before: everything but management. A key sees its tenant's own documents and scans
// on public operations only with the scope for them.
func TestScopesOfOldKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made, err := w.Admin.Tenants.CreateKey(t.Context(), "ACME01", tenant.KeyOptions{Name: "old"})
	must(t, err)
	for _, id := range w.there() {
		op := operations()[id]
		if op.scope() == "" || op.scope() == tenant.ScopeManage {
			continue
		}
		q := w.ask(id)
		q.Key = made.Secret
		if a := w.Do(q); a.StatusCode >= 300 {
			t.Errorf("%s with a key without scopes: %d %s", id, a.StatusCode, a.Raw)
		}
	}
	device := w.freshDevice()
	reference := w.Standing.Reference
	for scope, want := range map[tenant.Scope]struct{ name, scanner bool }{
		tenant.ScopeStamp: {name: true}, tenant.ScopeHistory: {scanner: true}, tenant.ScopeManage: {},
	} {
		key := limitedKey(w.Rig, "ACME01", scope)
		twin := w.Want(w.Get(key, "/v1/tcode/verify/reference/"+reference), http.StatusOK)
		if got := twin.Data()["name"] != nil; got != want.name {
			t.Errorf("%s: the name of a document is shown: %v", scope, got)
		}
		scans := w.Want(w.Get(key, "/v1/tcode/verify/document/"+reference+"/scans"), http.StatusOK)
		if got := strings.Contains(string(scans.Raw), device); got != want.scanner {
			t.Errorf("%s: the scanner is shown: %v", scope, got)
		}
	}
}

// TestExpiredKey: an expired key is 401, which says when it ended; to a sender who does
// not have the whole key it is like any unknown one.
func TestExpiredKey(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock(time.Now())
	r := harness.Start(t, func(c *server.Config) { c.Now = clock.Now })
	r.Tenant("ACME01")
	ends := clock.Now().Add(90 * 24 * time.Hour)
	made, err := r.Admin.Tenants.CreateKey(t.Context(), "ACME01", tenant.KeyOptions{Name: "k", ExpiresAt: ends})
	must(t, err)
	r.Want(r.Get(made.Secret, "/v1/tcode/stamps"), http.StatusOK)
	clock.Add(90 * 24 * time.Hour)
	a := r.WantCode(r.Get(made.Secret, "/v1/tcode/stamps"), http.StatusUnauthorized, "UNAUTHORIZED")
	if message := a.Body["message"].(string); !strings.Contains(message, "expired at "+ends.UTC().Format(time.RFC3339)) {
		t.Errorf("message %s", message)
	}
	guess := made.Secret[:len(made.Secret)-4] + "AAAA"
	if a := r.Get(guess, "/v1/tcode/stamps"); a.StatusCode != http.StatusUnauthorized || strings.Contains(a.Body["message"].(string), "expired") {
		t.Errorf("a guess: %s", a.Raw)
	}
}
