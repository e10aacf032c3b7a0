package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tcode/server/outbound/webhook"
)

// receivers gives a script two receivers of webhooks, $TAKES and $FAILS.
func receivers(env *testscript.Env) {
	for name, status := range map[string]int{"TAKES": http.StatusNoContent, "FAILS": http.StatusInternalServerError} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		env.Defer(s.Close)
		env.Setenv(name, s.URL)
	}
}

// TestWebhook: a serving gateway sends events about a concurrent command.
func TestWebhook(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	type post struct {
		signature string
		body      []byte
	}
	got := make(chan post, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- post{r.Header.Get(webhook.SignatureHeader), body}
	}))
	defer receiver.Close()
	gateway(t, data, "init")
	gateway(t, data, "tenant", "create", "--name", "Acme", "--reference", "ACME01")
	made := gateway(t, data, "webhook", "create", "--tenant", "ACME01", "--url", receiver.URL+"/in?token=sesame", "--events", "stamp.*,key.rotated", "--webhooks-allow-private")
	id, secret, ok := strings.Cut(made, " ")
	if !ok {
		t.Fatalf("webhook create printed %q", made)
	}
	cmd := exec.Command("tcode-gateway", "serve", "--json", "--addr", "127.0.0.1:0", "--data", data, "--webhooks-allow-private", "--log-level", "debug")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
		if s := log.String(); strings.Contains(s, secret) || strings.Contains(s, "sesame") {
			t.Error("the log holds the secret, or the address")
		}
	}()
	if _, err := bufio.NewReader(stdout).ReadBytes('\n'); err != nil {
		t.Fatal(err)
	}
	gateway(t, data, "signing-key", "rotate", "--tenant", "ACME01", "--announce", "0")
	select {
	case p := <-got:
		var e struct {
			Type string
			Data webhook.KeyData
		}
		if err := webhook.Check(p.signature, p.body, secret, time.Now()); err != nil {
			t.Error(err)
		}
		if err := json.Unmarshal(p.body, &e); err != nil || e.Type != "key.rotated" || e.Data.KeyID != "ACME01-1" {
			t.Errorf("%s, %v", p.body, err)
		}
	case <-time.After(time.Minute):
		t.Fatal("nothing came in a minute")
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		list := gateway(t, data, "webhook", "deliveries", "--tenant", "ACME01", id)
		if strings.Contains(list, "Delivered") {
			break
		}
		if time.Now().After(end) {
			t.Fatal(list)
		}
	}
}
