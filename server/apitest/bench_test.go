package apitest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// BenchmarkGateway measures concurrent requests over loopback to one gateway with
// the real database.
func BenchmarkGateway(b *testing.B) {
	ready := make(chan net.Addr, 1)
	done := make(chan error, 1)
	cfg := server.Config{
		Init: true,
		Addr: "127.0.0.1:0", Data: b.TempDir(), Limits: &httpapi.Limits{}, Readback: storetest.Readback{}, Log: slog.New(slog.DiscardHandler),
		Ready: func(a net.Addr) { ready <- a },
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- server.Run(ctx, cfg) }()
	url := "http://" + (<-ready).String()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	g, err := server.Open(b.Context(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { g.Close() })
	if _, err := g.Tenants.CreateTenant(b.Context(), "Acme", "ACME01"); err != nil {
		b.Fatal(err)
	}
	key, err := g.Tenants.CreateKey(b.Context(), "ACME01", tenant.KeyOptions{Name: "k"})
	if err != nil {
		b.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	send := func(method, path string, body []byte, want int) []byte {
		req, _ := http.NewRequest(method, url+path, bytes.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("x-api-key", key.Secret)
		res, err := client.Do(req)
		if err != nil {
			b.Error(err)
			return nil
		}
		defer res.Body.Close()
		raw, _ := io.ReadAll(res.Body)
		if res.StatusCode != want {
			b.Errorf("%s: %d %s", path, res.StatusCode, raw)
		}
		return raw
	}
	stampBody, _ := json.Marshal(harness.StampBody("bench"))
	var st struct {
		Data struct{ ID, Reference string }
	}
	json.Unmarshal(send("POST", "/v1/tcode/stamps", stampBody, 201), &st)
	full, err := g.Stamps.Get(b.Context(), "ACME01", st.Data.ID)
	if err != nil {
		b.Fatal(err)
	}
	payload, _ := json.Marshal(map[string]string{"payload": base64.StdEncoding.EncodeToString(full.Payload)})
	for _, bench := range []struct {
		name, method, path string
		body               []byte
		want               int
	}{
		{"verify by reference", "GET", "/v1/tcode/verify/reference/" + st.Data.Reference, nil, 200},
		{"verify by payload", "POST", "/v1/tcode/verify", payload, 200},
		{"trust timestamp", "GET", "/v1/reference-data/trust-store/timestamp", nil, 200},
		{"stamp", "POST", "/v1/tcode/stamps", stampBody, 201},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					send(bench.method, bench.path, bench.body, bench.want)
				}
			})
		})
	}
}
