package apitest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/store/storetest"
)

// BenchmarkHandler runs look-ups without a network, for profiles.
func BenchmarkHandler(b *testing.B) {
	d := storetest.NewOn(b, storetest.SQLite)
	st := d.Stamp(b, d.Tenant(b, "Acme", "ACME01"), "n")
	limits := httpapi.DefaultLimits()
	limits.LookupsPerMinute = 1 << 30
	g, err := server.Open(b.Context(), server.Config{Init: true, Data: d.Dir, Limits: &limits, Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { g.Close() })
	h, err := g.Handler()
	if err != nil {
		b.Fatal(err)
	}
	text, _ := json.Marshal(map[string]string{"payload": base64.StdEncoding.EncodeToString(st.Payload)})
	for what, make := range map[string]func() *http.Request{
		"reference": func() *http.Request {
			return httptest.NewRequest("GET", "/v1/tcode/verify/reference/"+st.Reference.String(), nil)
		},
		"payload": func() *http.Request {
			r := httptest.NewRequest("POST", "/v1/tcode/verify", bytes.NewReader(text))
			r.Header.Set("Content-Type", "application/json")
			return r
		},
	} {
		b.Run(what, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, make()); w.Code != 200 {
					b.Fatal(w.Body)
				}
			}
		})
	}
}
