package apitest

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tcode/server/internal/harness"
	"tcode/server/tenant"
	"tcode/sync/wire"
)

const (
	webhooksPath = "/v1/webhooks"
	keysPath     = "/v1/api-keys"
	devicesPath  = "/v1/devices"
)

// freshKey makes an API key and returns its prefix.
func (w *world) freshKey() string {
	w.T.Helper()
	a := w.Post(w.Key, keysPath, map[string]any{"name": fmt.Sprint("key ", harness.Serial())})
	return w.Want(a, http.StatusCreated).Data()["prefix"].(string)
}

// freshWebhook makes an endpoint and returns its id. A tenant can have only some, so it
// removes one that is older.
func (w *world) freshWebhook(events ...string) string {
	w.T.Helper()
	w.roomForWebhook()
	return w.Made(webhooksPath, map[string]any{"url": fmt.Sprint("https://hooks.invalid/", harness.Serial()), "events": events})
}

func (w *world) roomForWebhook() {
	w.T.Helper()
	list := w.Want(w.Get(w.Key, webhooksPath), http.StatusOK).Body["items"].([]any)
	for len(list) > 15 {
		id := list[0].(map[string]any)["id"].(string)
		w.Want(w.Do(harness.Request{Method: "DELETE", Path: webhooksPath + "/" + id, Key: w.Key}), http.StatusNoContent)
		list = list[1:]
	}
}

// freshDelivery makes an endpoint with a delivery and returns the path of both.
func (w *world) freshDelivery() string {
	w.T.Helper()
	hook := webhooksPath + "/" + w.freshWebhook("stamp.created") + "/deliveries"
	w.FreshStamp()
	list := w.Want(w.Get(w.Key, hook), http.StatusOK).Body["items"].([]any)
	return hook + "/" + list[0].(map[string]any)["id"].(string)
}

// freshDevice lets a new device sign a scan of the standing stamp, and returns its id.
func (w *world) freshDevice() string {
	w.T.Helper()
	_, key, _ := ed25519.GenerateKey(nil)
	return scanWith(w.Rig, key, 1, w.Standing.Reference)
}

// scanWith sends a scan that a device signs, and returns the device's id.
func scanWith(r *harness.Rig, key ed25519.PrivateKey, seq uint64, reference string) string {
	r.T.Helper()
	now := wire.TruncateMillis(time.Now())
	b := wire.Batch{ID: newID(r.T), ScannerID: wire.ScannerID(key.Public().(ed25519.PublicKey)), SentAt: now}
	b.Items = []wire.Item{{ScanID: newID(r.T), Seq: seq, Reference: reference, ScannedAt: now, TrustVersion: uint64(now.Unix())}}
	raw, err := b.Encode()
	public, signature, signing := wire.SignBatch(b, key)
	must(r.T, errors.Join(err, signing))
	r.Want(r.Do(harness.Request{
		Method: "POST", Path: "/v1/tcode/verify/sync", Body: raw,
		Header: http.Header{wire.HeaderDeviceKey: {public}, wire.HeaderBatchSignature: {signature}},
	}), http.StatusOK)
	return b.ScannerID
}

// goodManagement has the good requests for the management of a tenant's own things, as
// good has others.
var goodManagement = map[string]func(w *world) harness.Request{
	"getUsage":    func(*world) harness.Request { return harness.Request{} },
	"listApiKeys": func(*world) harness.Request { return harness.Request{} },
	"createApiKey": func(*world) harness.Request {
		return harness.Request{Body: map[string]any{
			"name": "made", "scopes": []any{"stamp", "manage"}, "expiresAt": time.Now().AddDate(0, 0, 90).UTC().Format(time.RFC3339), "test": false,
		}}
	},
	"getApiKey":    func(w *world) harness.Request { return harness.Request{Path: w.freshKey()} },
	"revokeApiKey": func(w *world) harness.Request { return harness.Request{Path: w.freshKey()} },
	"rotateApiKey": func(w *world) harness.Request {
		return harness.Request{Path: w.freshKey(), Body: map[string]any{"overlapHours": 1, "expiresAt": time.Now().AddDate(0, 0, 90).UTC().Format(time.RFC3339)}}
	},
	"listWebhooks": func(*world) harness.Request { return harness.Request{} },
	"createWebhook": func(w *world) harness.Request {
		w.roomForWebhook()
		return harness.Request{Body: map[string]any{"url": "https://hooks.invalid/x", "events": []any{"key.rotated"}}}
	},
	"getWebhook": func(w *world) harness.Request { return harness.Request{Path: w.freshWebhook("key.rotated")} },
	"patchWebhook": func(w *world) harness.Request {
		return harness.Request{Path: w.freshWebhook("key.rotated"), Body: map[string]any{"url": "https://hooks.invalid/y", "events": []any{"stamp.*"}}}
	},
	"deleteWebhook":       func(w *world) harness.Request { return harness.Request{Path: w.freshWebhook("key.rotated")} },
	"enableWebhook":       func(w *world) harness.Request { return harness.Request{Path: w.freshWebhook("key.rotated")} },
	"disableWebhook":      func(w *world) harness.Request { return harness.Request{Path: w.freshWebhook("key.rotated")} },
	"rotateWebhookSecret": func(w *world) harness.Request { return harness.Request{Path: w.freshWebhook("key.rotated")} },
	"testWebhook":         func(w *world) harness.Request { return harness.Request{Path: w.freshWebhook("key.rotated")} },
	"listWebhookDeliveries": func(w *world) harness.Request {
		return harness.Request{Path: w.freshWebhook("key.rotated")}
	},
	"redeliverFailedWebhooks": func(w *world) harness.Request {
		return harness.Request{Path: w.freshWebhook("key.rotated"), Body: map[string]any{"since": "2026-01-01T00:00:00Z"}}
	},
	"getWebhookDelivery": func(w *world) harness.Request { return harness.Request{Path: w.freshDelivery()} },
	"redeliverWebhook":   func(w *world) harness.Request { return harness.Request{Path: w.freshDelivery() + "/redeliver"} },
	"listAudit":          func(*world) harness.Request { return harness.Request{} },
	"listDevices":        func(*world) harness.Request { return harness.Request{} },
	"getDevice":          func(w *world) harness.Request { return harness.Request{Path: w.freshDevice()} },
	"patchDevice": func(w *world) harness.Request {
		return harness.Request{Path: w.freshDevice(), Body: map[string]any{"name": "Gate 2"}}
	},
	"refuseDevice": func(w *world) harness.Request {
		return harness.Request{Path: w.freshDevice(), Body: map[string]any{"reason": "stolen"}}
	},
	"acceptDevice":    func(w *world) harness.Request { return harness.Request{Path: w.freshDevice()} },
	"listSigningKeys": func(*world) harness.Request { return harness.Request{} },
}

// segment replaces a part of the path.
func segment(n int, value string) func(*provoker, *harness.Request) {
	return func(_ *provoker, q *harness.Request) {
		parts := strings.Split(q.Path, "/")
		parts[n] = value
		q.Path = strings.Join(parts, "/")
	}
}

// endedKey revokes the key of the request first.
func endedKey(p *provoker, q *harness.Request) {
	prefix := strings.Split(q.Path, "/")[3]
	must(p.T, p.Admin.Tenants.RevokeKey(p.T.Context(), "ACME01", prefix))
}

// disabledHook disables the endpoint of the request first.
func disabledHook(p *provoker, q *harness.Request) {
	_, err := p.Admin.Webhooks.Disable(p.T.Context(), "ACME01", strings.Split(q.Path, "/")[3])
	must(p.T, err)
}

// specialManagement are the requests for statuses with special reasons.
var specialManagement = map[string]func(p *provoker) harness.Answer{
	"createApiKey 400":            with("createApiKey", body(`{"name":"x","test":true,"scopes":["manage"]}`)),
	"createApiKey 422":            twice("createApiKey", func() any { return map[string]any{"name": "another"} }),
	"rotateApiKey 409":            with("rotateApiKey", endedKey),
	"rotateApiKey 422":            twice("rotateApiKey", func() any { return map[string]any{} }),
	"createWebhook 400":           with("createWebhook", body(`{"url":"http://x"}`)),
	"createWebhook 422":           twice("createWebhook", func() any { return map[string]any{"url": "https://hooks.invalid/other"} }),
	"redeliverWebhook 409":        with("redeliverWebhook", disabledHook),
	"redeliverFailedWebhooks 409": with("redeliverFailedWebhooks", disabledHook),
	"getWebhookDelivery 400":      with("getWebhookDelivery", segment(5, "no-uuid")),
	"getWebhookDelivery 404":      with("getWebhookDelivery", segment(5, anonymous)),
	"redeliverWebhook 400":        with("redeliverWebhook", segment(5, "no-uuid")),
	"redeliverWebhook 404":        with("redeliverWebhook", segment(5, anonymous)),
	"refuseDevice 400":            with("refuseDevice", body(`{"reason":" "}`)),
	"patchDevice 400":             with("patchDevice", body(`{"name":"a\nb"}`)),
	"patchWebhook 400":            with("patchWebhook", body(`{"events":["x.y"]}`)),
	"redeliverFailedWebhooks 400": with("redeliverFailedWebhooks", body(`{"since":"soon"}`)),
	"listWebhookDeliveries 400":   with("listWebhookDeliveries", query("State=lost")),
	"getUsage 400":                with("getUsage", query("Days=0")),
	"listAudit 400":               with("listAudit", query("From=2026-01-02T00:00:00Z&To=2026-01-01T00:00:00Z")),
	"listAudit 406":               with("listAudit", func(_ *provoker, q *harness.Request) { q.Header = http.Header{"Accept": {"text/html"}} }),
	"listDevices 400":             with("listDevices", query("Freshness=rotten")),
	"listApiKeys 400":             with("listApiKeys", query("Page=0")),
	"listWebhooks 400":            with("listWebhooks", query("a=%zz")),
	"listSigningKeys 400":         with("listSigningKeys", query("a=%zz")),
}

func init() {
	for _, id := range []string{"getDevice", "acceptDevice"} { // any text may be an id
		specialManagement[id+" 400"] = with(id, query("a=%zz"))
	}
	for _, id := range []string{"getApiKey", "revokeApiKey", "rotateApiKey"} {
		specialManagement[id+" 404"] = with(id, segment(3, "nobody00"))
	}
}

// limitedKey makes a key of a tenant with some scopes.
func limitedKey(r *harness.Rig, reference string, scopes ...tenant.Scope) string {
	r.T.Helper()
	made, err := r.Admin.Tenants.CreateKey(r.T.Context(), reference, tenant.KeyOptions{Name: "limited", Scopes: scopes})
	must(r.T, err)
	return made.Secret
}
