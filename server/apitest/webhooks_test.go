package apitest

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/outbound/webhook"
	"tcode/server/store/storetest"
)

// TestWebhooks: a gateway sends an event about a stamp and counts it. Neither the
// log nor the metrics show the secrets of tenant and receiver, even if a delivery
// fails.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		const inURL, inAnswer, inName = "cAnaRyUrl", "cAnaRyAnswer", "cAnaRyName"
		var log harness.LockedBuffer
		watch := make(chan net.Addr, 1)
		r := harness.StartOn(t, e, func(c *server.Config) {
			c.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			c.MetricsAddr, c.MetricsReady = "127.0.0.1:0", func(a net.Addr) { watch <- a }
			c.WebhooksAllowPrivate = true
		})
		var posts atomic.Int64
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			body, _ := io.ReadAll(q.Body)
			if strings.Contains(string(body), inName) {
				t.Errorf("an event has a name: %s", body)
			}
			posts.Add(1)
			if strings.Contains(q.URL.Path, "fails") {
				http.Error(w, inAnswer, http.StatusBadGateway)
			}
		}))
		defer receiver.Close()
		key := r.Tenant("ACME01")
		var secrets []string
		for _, path := range []string{"/takes/", "/fails/"} {
			_, secret, err := r.Admin.Webhooks.Create(t.Context(), "ACME01", receiver.URL+path+inURL, webhook.Filter{"stamp.*"})
			if err != nil {
				t.Fatal(err)
			}
			secrets = append(secrets, secret)
		}
		r.Stamp(key, inName)
		address := "http://" + (<-watch).String() + "/metrics"
		var metrics string
		for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			metrics = string(r.Want(r.Get("", address), http.StatusOK).Raw)
			if strings.Contains(metrics, `tcode_webhook_tries_total{state="Delivered"} 1`) && strings.Contains(metrics, `tcode_webhook_tries_total{state="Waiting"} 1`) {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%d posts, and the metrics have not one delivered and one waiting", posts.Load())
			}
		}
		for _, want := range []string{"tcode_webhook_deliveries_waiting 1", `tcode_webhook_endpoints{state="enabled"} 2`} {
			if !strings.Contains(metrics, want) {
				t.Errorf("the metrics have no %s", want)
			}
		}
		if !strings.Contains(log.String(), "the receiver did not take it") {
			t.Error("the log does not say that a delivery failed")
		}
		for _, secret := range append(secrets, inURL, inAnswer, inName) {
			if strings.Contains(log.String(), secret) || strings.Contains(metrics, secret) {
				t.Errorf("log or metrics show %s", secret)
			}
		}
	})
}
