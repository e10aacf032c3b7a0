package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tcode/server/httpapi"
)

// TestPanic: the gateway answers a panic in a handler with a 500 and our body, and
// still serves other requests. The services are nil, so that calling one panics.
func TestPanic(t *testing.T) {
	t.Parallel()
	h, err := httpapi.New(httpapi.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/reference-data/tenants", "/v1/reference-data/trust-store/timestamp"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), `"code":"INTERNAL"`) || strings.Contains(w.Body.String(), "nil") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
