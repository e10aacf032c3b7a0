package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tcode/server/httpapi"
	"tcode/server/refdata"
)

// slow does not answer before its context ends.
type slow struct{ httpapi.ReferenceData }

func (slow) Tenants(ctx context.Context) ([]refdata.TenantInfo, error) {
	<-ctx.Done()
	return nil, fmt.Errorf("list tenants: %w", ctx.Err())
}

// TestClientGone: a client that disconnects before its answer is no failure of the
// gateway; a request that takes too long is one.
func TestClientGone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		end    func(cancel context.CancelFunc)
		status int
		level  string
	}{
		{"gone", func(cancel context.CancelFunc) { cancel() }, 499, "INFO"},
		{"too long", func(context.CancelFunc) {}, http.StatusServiceUnavailable, "ERROR"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			h, err := httpapi.New(httpapi.Config{
				Reference: slow{}, Limits: httpapi.Limits{Request: 50 * time.Millisecond}, Log: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			tt.end(cancel)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/reference-data/tenants", nil))
			if w.Code != tt.status || !strings.Contains(log.String(), fmt.Sprintf("status=%d", tt.status)) || !strings.Contains(log.String(), "level="+tt.level) {
				t.Errorf("status %d, want %d, logged as %s", w.Code, tt.status, log.String())
			}
		})
	}
}
