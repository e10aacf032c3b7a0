package opstest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// watched returns a gateway that serves its metrics.
func watched(t *testing.T, e storetest.Engine) (w *harness.World, scrape func() string) {
	t.Helper()
	addr := make(chan net.Addr, 1)
	w = harness.NewWorldOn(t, e, func(c *server.Config) {
		c.MetricsAddr, c.MetricsReady = "127.0.0.1:0", func(a net.Addr) { addr <- a }
	})
	url := "http://" + (<-addr).String()
	return w, func() string {
		t.Helper()
		res, err := http.Get(url + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		raw, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("/metrics: %d %v %s", res.StatusCode, err, raw)
		}
		return string(raw)
	}
}

// TestMetrics: the metrics count the events of a gateway, and do not show who
// caused them.
func TestMetrics(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w, scrape := watched(t, e)
		_, err := w.Admin.Tenants.ChangePlan(t.Context(), "ACME01", func(p *tenant.Plan) {
			p.Quotas[tenant.KindStamps] = 1
		})
		if err != nil {
			t.Fatal(err)
		}
		ref := w.Standing.Reference
		get := func(path string, status int) {
			t.Helper()
			w.Want(w.Get(w.Key, path), status)
		}
		get("/v1/tcode/verify/reference/"+ref, 200)
		get("/v1/tcode/verify/reference/TCR-0000000000000000", 200)
		get("/v1/tcode/verify/hash/"+w.Standing.StampedSha256, 200)
		get("/d/"+ref, 200)
		w.Want(w.Post("", "/v1/tcode/verify", map[string]any{"payload": w.Text}), 200)
		w.Want(w.Post("", "/v1/tcode/verify", map[string]any{"payload": "?"}), 400)
		w.Want(w.Post("", "/v1/tcode/verify/sync", harness.ScanBody()), 200)
		get("/cAnaRy/nowhere", 404)
		w.Want(w.Post(w.Key, "/v1/tcode/stamps", w.StampBody()), 403)
		got := scrape()
		for _, want := range []string{
			`tcode_requests_total{operation="verifyByReference",status="200"} 2`,
			`tcode_requests_total{operation="verifyPayload",status="400"} 1`,
			`tcode_requests_total{operation="createStamp",status="201"} 1`,
			`tcode_requests_total{operation="createStamp",status="403"} 1`,
			`tcode_requests_total{operation="other",status="404"} 1`,
			`tcode_request_duration_seconds_count{operation="verifyByReference"} 2`,
			`tcode_verdicts_total{method="reference",verdict="valid"} 2`,
			`tcode_verdicts_total{method="reference",verdict="not_found"} 1`,
			`tcode_verdicts_total{method="hash",verdict="valid"} 1`,
			`tcode_verdicts_total{method="payload",verdict="valid"} 1`,
			`tcode_verdicts_total{method="scan",verdict="not_found"} 1`,
			`tcode_refusals_total{reason="quota_exceeded"} 1`,
			`tcode_quota_tenants{kind="stamps",used="all"} 1`,
			`tcode_quota_highest_ratio{kind="stamps"} 1`,
			`tcode_child_processes{state="busy"} 0`,
			`tcode_scrape_errors_total 0`,
		} {
			if !strings.Contains(got, want+"\n") {
				t.Errorf("no %s", want)
			}
		}
		for _, name := range []string{
			"tcode_publication_waiting_changes ", "tcode_publication_timestamp_seconds ", "tcode_publication_expiry_timestamp_seconds ",
			"tcode_database_connections{", "tcode_history_pending ", "go_goroutines ", "process_cpu_seconds_total ",
		} {
			if !strings.Contains(got, "\n"+name) {
				t.Errorf("no %s", name)
			}
		}
		for _, secret := range []string{w.Key, w.Key[9:17], ref, "ACME01", "cAnaRy", w.Text} {
			if strings.Contains(got, secret) {
				t.Errorf("the metrics hold %q", secret)
			}
		}
		if a := w.Get("", "/metrics"); a.StatusCode != 404 {
			t.Errorf("the public address answers /metrics with %d", a.StatusCode)
		}
	})
}

// TestMetricsDoNotGrow: no request of a stranger adds a series to the metrics.
//
//engine:sqlite its gateway runs on SQLite
func TestMetricsDoNotGrow(t *testing.T) {
	t.Parallel()
	w, scrape := watched(t, storetest.SQLite)
	send := func(n int) {
		for i := range 20 {
			for _, method := range []string{"GET", "PUT", fmt.Sprintf("METHOD%d", n*100+i)} {
				w.Do(harness.Request{Method: method, Path: fmt.Sprintf("/v1/tcode/verify/reference/%d-%d", n, i), Key: fmt.Sprint("key", n, i)})
				w.Do(harness.Request{Method: method, Path: fmt.Sprintf("/%d/%d", n, i)})
			}
		}
	}
	series := func() []string {
		var names []string
		for _, m := range regexp.MustCompile(`(?m)^(tcode_[^ ]*) `).FindAllStringSubmatch(scrape(), -1) {
			names = append(names, m[1])
		}
		return names
	}
	send(1)
	before := series()
	send(2)
	if after := series(); !slices.Equal(before, after) {
		t.Errorf("%d series became %d", len(before), len(after))
	}
}
