package opstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/tenant"
)

// opsFiles is the folder of the alerts and of the dashboard.
const opsFiles = "../opsfiles"

// An alert is a rule of alerts.yml.
type alert struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func alerts(t *testing.T) []alert {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(opsFiles, "alerts.yml"))
	must(t, err)
	var file struct{ Groups []struct{ Rules []alert } }
	must(t, yaml.Unmarshal(raw, &file))
	if len(file.Groups) != 1 || len(file.Groups[0].Rules) < 20 {
		t.Fatalf("the alerts are not where they are expected: %+v", file)
	}
	return file.Groups[0].Rules
}

// expressions returns what the panels of the dashboard ask for.
func expressions(t *testing.T) (list []string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(opsFiles, "dashboard.json"))
	must(t, err)
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			Type    string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	must(t, json.Unmarshal(raw, &board))
	seen, places := map[int]bool{}, map[[2]int]string{}
	for _, p := range board.Panels {
		if seen[p.ID] || p.Title == "" || (len(p.Targets) == 0) != (p.Type == "row") {
			t.Errorf("panel %d %q: its id, title or targets are wrong", p.ID, p.Title)
		}
		seen[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := places[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("panel %q lies on %q", p.Title, other)
				}
				places[[2]int{x, y}] = p.Title
			}
		}
		for _, target := range p.Targets {
			list = append(list, target.Expr)
		}
	}
	if len(list) < 40 {
		t.Fatalf("%d expressions in the dashboard: the file is not what is expected", len(list))
	}
	return list
}

// TestOpsFiles: the metrics of the alerts and of the dashboard are those of a gateway that
// has worked, and all of its metrics are in the dashboard.
//
//engine:sqlite the reserve of the disk is that of SQLite
func TestOpsFiles(t *testing.T) {
	t.Parallel()
	text := scrapeAll(t)
	names := regexp.MustCompile(`\b(?:tcode|process|go)_[a-z_]+\b`)
	known := map[string]bool{}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			known[names.FindString(line)] = true
		}
	}
	shown := map[string]bool{}
	for _, expr := range expressions(t) {
		for _, name := range names.FindAllString(expr, -1) {
			shown[name] = true
			if !known[name] {
				t.Errorf("the dashboard asks for %s, which the gateway does not have", name)
			}
		}
	}
	for _, a := range alerts(t) {
		for _, name := range names.FindAllString(a.Expr, -1) {
			if !known[name] {
				t.Errorf("%s asks for %s, which the gateway does not have", a.Alert, name)
			}
		}
	}
	for name := range known {
		histogram := strings.HasPrefix(name, "tcode_request_duration_seconds")
		if strings.HasPrefix(name, "tcode_") && !shown[name] && !histogram {
			t.Errorf("%s is not in the dashboard", name)
		}
	}
}

// scrapeAll returns the metrics of a gateway with everything that has metrics.
func scrapeAll(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(1, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	must(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), 0o600))
	watch, api := make(chan string, 1), make(chan string, 1)
	letters, err := harness.Mail("smtp://127.0.0.1:1")
	must(t, err)
	data := filepath.Join(dir, "data")
	first, err := server.Open(t.Context(), server.Config{Init: true, Data: data})
	must(t, err)
	_, err = first.Tenants.CreateTenant(t.Context(), "Acme", "ACME01")
	must(t, err)
	_, err = first.Tenants.ChangePlan(t.Context(), "ACME01", func(p *tenant.Plan) { p.Quotas[tenant.KindStamps] = 1 })
	must(t, err)
	must(t, first.Record(t.Context(), server.ActionBackup))
	must(t, first.Record(t.Context(), server.ActionFsck))
	must(t, first.Close())
	r := harness.Start(t, func(c *server.Config) {
		c.Data, c.Reserve, c.Mail, c.PublicURL = data, 1<<20, letters, harness.PublicURL
		c.TLS.Cert, c.TLS.Key = certFile, keyFile
		c.MetricsAddr, c.MetricsReady = "127.0.0.1:0", func(a net.Addr) { watch <- "http://" + a.String() }
		c.LogDropped = func() uint64 { return 0 }
	})
	api <- strings.Replace(r.URL, "http://", "https://", 1)
	get := func(url string) string {
		t.Helper()
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}} //nolint:gosec // a certificate of this test
		res, err := client.Get(url)
		must(t, err)
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		must(t, err)
		return string(body)
	}
	get(<-api + "/v1/tcode/verify/reference/TCR-0000000000000000")
	return get(<-watch + "/metrics")
}

// TestAlerts: each alert says what happened, what to do, and has its place in the README.
func TestAlerts(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../README.md")
	must(t, err)
	seen := map[string]bool{}
	for _, a := range alerts(t) {
		anchor := strings.ToLower(a.Alert)
		switch {
		case seen[a.Alert]:
			t.Errorf("%s is there twice", a.Alert)
		case !slices.Contains([]string{"critical", "warning", "info"}, a.Labels["severity"]):
			t.Errorf("%s has the severity %q", a.Alert, a.Labels["severity"])
		case a.Annotations["summary"] == "" || len(a.Annotations["description"]) < 40:
			t.Errorf("%s does not say what happened and what to do", a.Alert)
		case a.Annotations["runbook"] != "server/README.md#"+anchor || !strings.Contains(string(raw), "\n#### "+a.Alert+"\n"):
			t.Errorf("%s has the runbook %q; want a heading #### %s in server/README.md", a.Alert, a.Annotations["runbook"], a.Alert)
		}
		seen[a.Alert] = true
	}
	for _, heading := range regexp.MustCompile(`(?m)^#### (TCode\w+)$`).FindAllStringSubmatch(string(raw), -1) {
		if !seen[heading[1]] {
			t.Errorf("server/README.md describes %s, which is no alert", heading[1])
		}
	}
}

// TestPromtool has Prometheus check the alerts and run their tests.
//
//engine:sqlite it has no rows
func TestPromtool(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("CI") == "" {
			t.Skip("promtool is not installed (Debian: prometheus)")
		}
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml", "alerts_days_test.yml"},
	} {
		cmd := exec.Command(program, args...)
		cmd.Dir = opsFiles
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}
