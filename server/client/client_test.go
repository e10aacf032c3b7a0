package client_test

//race:off ./... whole gateways

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"

	"tcode/offline/host/sandbox"
	"tcode/server"
	"tcode/server/client"
	"tcode/server/httpapi/api"
	"tcode/server/pdfstamp"
	"tcode/server/picturepdf"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

func TestMain(m *testing.M) {
	sandbox.Main(pdfstamp.Role(), picturepdf.Role()) // stamping runs this binary again
	os.Exit(m.Run())
}

// gateway runs a gateway until the test ends and returns its address and a key.
func gateway(t *testing.T) (address, key string) {
	t.Helper()
	cfg := server.Config{Init: true, Addr: "127.0.0.1:0", Data: t.TempDir(), Readback: storetest.Readback{}}
	admin, err := server.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Tenants.CreateTenant(t.Context(), "Acme University", "ACME01"); err != nil {
		t.Fatal(err)
	}
	made, err := admin.Tenants.CreateKey(t.Context(), "ACME01", tenant.KeyOptions{Name: "client"})
	if err := errors.Join(err, admin.Close()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan net.Addr, 1), make(chan error, 1)
	cfg.Ready = func(a net.Addr) { ready <- a }
	go func() { done <- server.Run(ctx, cfg) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	select {
	case a := <-ready:
		return "http://" + a.String(), made.Secret
	case err := <-done:
		t.Fatalf("Run: %v", err)
	}
	return "", ""
}

func ptr[T any](v T) *T { return &v }

// TestStory drives a real gateway through the life of a stamp.
func TestStory(t *testing.T) {
	t.Parallel()
	address, key := gateway(t)
	ctx := t.Context()
	c, err := client.New(address+"/v1/", client.WithKey(key))
	if err != nil {
		t.Fatal(err)
	}
	body := api.CreateStampJSONRequestBody{Name: "Diploma", DocumentTypeCode: "DIP", Pdf: onePage(), ExternalId: ptr("D-1")}
	params := &api.CreateStampParams{IdempotencyKey: ptr("first")}
	made, err := c.CreateStampWithResponse(ctx, params, body)
	if err := client.Check(err, made); err != nil {
		t.Fatal(err)
	}
	st := made.JSON201.Data
	again, err := c.CreateStampWithResponse(ctx, params, body)
	if err := client.Check(err, again); err != nil || !bytes.Equal(again.Body, made.Body) || again.HTTPResponse.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the same request again: %v %s", err, again.Body)
	}

	twice, err := c.CreateStampWithResponse(ctx, nil, body)
	refused, ok := errors.AsType[*client.Error](client.Check(err, twice))
	if !ok || refused.Status != http.StatusConflict || refused.Code != "DUPLICATE" || refused.Reference != st.Reference || refused.TraceID == "" {
		t.Errorf("the same externalId: %v", refused)
	}
	list, err := c.ListStampsWithResponse(ctx, &api.ListStampsParams{Search: ptr("D-1"), PageSize: ptr(api.PageSize(5))})
	if err := client.Check(err, list); err != nil || len(list.JSON200.Items) != 1 || list.JSON200.Items[0].Id != st.Id {
		t.Errorf("list: %v %s", err, list.Body)
	}
	link, err := c.DownloadStampWithResponse(ctx, st.Id, nil)
	if err := client.Check(err, link); err != nil {
		t.Fatal(err)
	}
	data, err := client.Download(ctx, link.JSON200.Data.Url, 1<<20)
	if err != nil || int64(len(data)) != link.JSON200.Data.SizeBytes {
		t.Errorf("download: %d bytes, %v", len(data), err)
	}
	if _, err := client.Download(ctx, link.JSON200.Data.Url, 10); err == nil {
		t.Error("a download above the limit is no error")
	}
	if _, err := client.Download(ctx, link.JSON200.Data.Url+"&x=1", 1<<20); !status(err, http.StatusForbidden) {
		t.Errorf("a changed address: %v", err)
	}
	gone, err := c.RevokeStampWithResponse(ctx, st.Id, api.TCodeLifecycleActionRequest{Reason: ptr("lost")})
	if err := client.Check(err, gone); err != nil {
		t.Error(err)
	}
	for reference, want := range map[string]api.TCodeVerificationVerdict{st.Reference: "revoked", "TCR-0": "not_found"} {
		res, err := c.VerifyByReferenceWithResponse(ctx, reference)
		if err := client.Check(err, res); err != nil || res.JSON200.Data.Verdict != want {
			t.Errorf("%s: %v %s, want %s", reference, err, res.Body, want)
		}
	}
}

func status(err error, want int) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Status == want
}

// TestForeignAnswer: an error from a proxy is an error too, although the gateway
// did not send it.
func TestForeignAnswer(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, `{"status":"down","code":"DUPLICATE"}`)
	}))
	defer proxy.Close()
	c, err := client.New(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.ListTenantsWithResponse(t.Context())
	e, ok := errors.AsType[*client.Error](client.Check(err, res))
	if !ok || e.Status != http.StatusBadGateway || e.Code != "" {
		t.Errorf("answer of a proxy: %v", e)
	}
	for _, bad := range []string{"", "gateway.example", "ftp://gateway.example", "http://", "%"} {
		if _, err := client.New(bad); err == nil {
			t.Errorf("New(%q) takes it", bad)
		}
	}
}

// TestRedirection: only the gateway gets the key.
func TestRedirection(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a request with the key %q came elsewhere", r.Header.Get("x-api-key"))
	}))
	defer elsewhere.Close()
	portal := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer portal.Close()
	c, err := client.New(portal.URL, client.WithKey("tck_live_secret"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.ListStampsWithResponse(t.Context(), nil)
	if err := client.Check(err, res); !status(err, http.StatusTemporaryRedirect) {
		t.Errorf("a redirection: %v", err)
	}
}

// onePage is an empty A4 page.
func onePage() []byte {
	var b bytes.Buffer
	var offsets []int
	b.WriteString("%PDF-1.7\n")
	for i, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << >> >>",
	} {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	b.WriteString("xref\n0 4\n0000000000 65535 f \n")
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

// TestNotGateway: a server that answers without a record is no gateway, whatever
// its answer, so that no caller reads a missing record.
func TestNotGateway(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status      int
		media, body string
		want        string // part of the error
	}{
		{200, "text/html", "<h1>Sign in</h1>", "no gateway"},
		{201, "text/html", "<h1>Sign in</h1>", "no gateway"},
		{200, "application/json", `{"data":{}}`, "no gateway"}, // a stamp comes with 201
		{204, "", "", "no gateway"},
		{302, "text/html", "", "another one, perhaps with https"},
		{502, "text/html", "", "HTTP status 502 Bad Gateway, not answered by a gateway: is its address right?"},
	}
	for _, tt := range tests {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tt.media)
			w.WriteHeader(tt.status)
			fmt.Fprint(w, tt.body)
		}))
		c, err := client.New(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		made, err := c.CreateStampWithResponse(t.Context(), nil, api.CreateStampJSONRequestBody{})
		if err := client.Check(err, made); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%d %s: %v, want %q", tt.status, tt.media, err, tt.want)
		}
		id := uuid.New()
		gone, err := c.RevokeStampWithResponse(t.Context(), id, api.TCodeLifecycleActionRequest{})
		if err := client.Check(err, gone); (err == nil) != (tt.media != "text/html") {
			t.Errorf("%d %s: revoked, %v", tt.status, tt.media, err)
		}
		srv.Close()
		made, err = c.CreateStampWithResponse(t.Context(), nil, api.CreateStampJSONRequestBody{})
		if err := client.Check(err, made); err == nil || !strings.HasPrefix(err.Error(), "no answer from the gateway: ") {
			t.Errorf("no server: %v", err)
		}
	}
}

// TestErrorText: a message is said once, also if a field has the same.
func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fields map[string][]string
		want   string
	}{
		{map[string][]string{"pdf": {"the picture is cut off"}}, "INVALID_PDF: the picture is cut off"},
		{map[string][]string{"pdf": {"is empty", "x"}, "a": {"y"}}, "INVALID_PDF: the picture is cut off; a y; pdf is empty, x"},
	} {
		e := &client.Error{Code: "INVALID_PDF", Message: "the picture is cut off", Fields: tt.fields}
		if got := e.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
