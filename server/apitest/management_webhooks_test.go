package apitest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestManageWebhooks: the life of an endpoint and of its deliveries over the interface, to
// a receiver that first refuses and then takes them.
func TestManageWebhooks(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		var taken, status atomic.Int32
		status.Store(http.StatusServiceUnavailable)
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			taken.Add(1)
			w.WriteHeader(int(status.Load()))
		}))
		defer receiver.Close()
		r := harness.StartOn(t, e, func(c *server.Config) { c.WebhooksAllowPrivate = true })
		key, stranger := r.Tenant("ACME01"), r.Tenant("OTHER1")
		create := harness.Request{
			Method: "POST", Path: webhooksPath, Key: key, Body: map[string]any{"url": receiver.URL, "events": []any{"stamp.created"}},
			Header: http.Header{"Idempotency-Key": {"once"}},
		}
		made := r.Want(r.Do(create), http.StatusCreated)
		id := made.Data()["id"].(string)
		hook := webhooksPath + "/" + id
		secret := made.Data()["secret"].(string)
		if again := r.Want(r.Do(create), http.StatusCreated); again.Data()["id"] != id || again.Data()["secret"] != nil || made.Header.Get("Location") != hook || again.Header.Get("Location") != hook {
			t.Errorf("the repeated answer is %s", again.Raw)
		}
		r.Stamp(key, "told")
		state := func(want string) map[string]any {
			t.Helper()
			for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				a := r.Want(r.Get(key, hook+"/deliveries"), http.StatusOK)
				if items := a.Body["items"].([]any); len(items) == 1 {
					if d := items[0].(map[string]any); d["tries"] != 0.0 && d["status"] != nil && d["state"] == want {
						return d
					}
				}
				if time.Now().After(end) {
					t.Fatalf("no delivery is %s: %s", want, a.Raw)
				}
			}
		}
		d := state("Waiting")
		delivery := hook + "/deliveries/" + d["id"].(string)
		detail := r.Want(r.Get(key, delivery), http.StatusOK).Data()
		if tries := detail["attempts"].([]any); len(tries) != 1 || tries[0].(map[string]any)["status"] != 503.0 || !strings.Contains(detail["body"].(string), "stamp.created") {
			t.Errorf("the delivery is %v", detail)
		}
		if a := r.Want(r.Get(key, hook), http.StatusOK); a.Data()["failures"] != 1.0 || a.Data()["lastDay"].(map[string]any)["waiting"] != 1.0 || strings.Contains(string(a.Raw), secret) {
			t.Errorf("the endpoint is %s", a.Raw)
		}
		// A delivery has one address: that of its own endpoint.
		second := r.Want(r.Post(key, webhooksPath, map[string]any{"url": receiver.URL, "events": []any{"key.rotated"}}), http.StatusCreated).Data()["id"].(string)
		wrong := webhooksPath + "/" + second + "/deliveries/" + d["id"].(string)
		r.WantCode(r.Get(key, wrong), http.StatusNotFound, "NOT_FOUND")
		r.WantCode(r.Post(key, wrong+"/redeliver", nil), http.StatusNotFound, "NOT_FOUND")
		r.WantCode(r.Post(stranger, delivery+"/redeliver", nil), http.StatusNotFound, "NOT_FOUND")

		if a := r.Want(r.Post(key, hook+"/disable", nil), http.StatusOK); a.Data()["state"] != "disabled" || a.Data()["reason"] == nil {
			t.Errorf("disabled: %s", a.Raw)
		}
		state("Failed")
		r.WantCode(r.Post(key, hook+"/redeliver-failed", nil), http.StatusConflict, "CONFLICT")
		status.Store(http.StatusNoContent)
		if a := r.Want(r.Post(key, hook+"/test", nil), http.StatusOK); a.Data()["delivered"] != true || a.Data()["status"] != 204.0 {
			t.Errorf("test: %s", a.Raw)
		}
		r.Want(r.Post(key, hook+"/enable", nil), http.StatusOK)
		if a := r.Want(r.Post(key, hook+"/redeliver-failed", map[string]any{"since": "2026-01-01"}), http.StatusOK); a.Data()["count"] != 1.0 {
			t.Errorf("sent again: %s", a.Raw)
		}
		state("Delivered")
		if a := r.Want(r.Get(key, hook+"/deliveries?State=Failed"), http.StatusOK); a.Body["totalCount"] != 0.0 {
			t.Errorf("failed: %s", a.Raw)
		}
		a := r.Want(r.Do(harness.Request{Method: "PATCH", Path: hook, Key: key, Body: map[string]any{"events": []any{"document.*"}}}), http.StatusOK)
		if a.Data()["url"] != receiver.URL || a.Data()["events"].([]any)[0] != "document.*" || a.Data()["state"] != "enabled" {
			t.Errorf("changed: %s", a.Raw)
		}
		rotated := r.Want(r.Post(key, hook+"/rotate-secret", nil), http.StatusOK).Data()
		if rotated["secret"] == secret || rotated["secret"] == nil || rotated["oldSecretUntil"] == nil {
			t.Errorf("rotated: %v", rotated)
		}
		r.Want(r.Do(harness.Request{Method: "DELETE", Path: hook, Key: key}), http.StatusNoContent)
		r.WantCode(r.Get(key, hook), http.StatusNotFound, "NOT_FOUND")
		rows, err := r.Admin.Tenants.Audit(t.Context(), tenant.AuditFilter{Tenant: "ACME01", Action: "webhook.", Subject: id})
		must(t, err)
		var actions []string
		for _, e := range rows {
			actions = append(actions, e.Action)
			if e.By.Actor != tenant.ActorKey || !strings.Contains(key, e.By.Name) || len(e.By.TraceID) != 32 {
				t.Errorf("the author of %s is %+v", e.Action, e.By)
			}
		}
		if got := strings.Join(actions, " "); got != "webhook.remove webhook.rotate_secret webhook.change webhook.redeliver webhook.enable webhook.disable webhook.create" {
			t.Errorf("audit log: %s", got)
		}
	})
}
