package main

//race:off ./... whole programs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"tcode/scanner/web"
	"tcode/scanner/web/engine/build"
)

// TestWithoutGo: a program without the engine says so where nothing builds one, and goes on.
func TestWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var said bytes.Buffer
	app, err := phoneApp(t.Context(), web.NewFrom(fstest.MapFS{}), build.Into, t.TempDir(), &said)
	if app == nil || app.Built() || !errors.Is(err, build.ErrNoSource) {
		t.Fatal(app, err)
	}
	rows := appRows("http://127.0.0.1:1", "link", err)
	if !strings.Contains(rows, "none: the engine cannot be built here") || !strings.Contains(rows, "go generate ./scanner/web") || strings.Contains(rows, "link") || said.Len() > 0 {
		t.Errorf("%s%s", rows, said.String())
	}
}

// TestBuilds: a program without the engine serves the one that it builds, with brotli too: the same as go generate has built. With
// TCODE_DEMO_BUILD=1 it is compiled and compressed, which takes half a minute; otherwise only compiled versions are copied.
func TestBuilds(t *testing.T) {
	t.Parallel()
	own := web.New()
	want, err := own.Manifest()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	last := 0
	builder := func(_ context.Context, to string, told func(done, all int)) error {
		told(1, 1)
		last = 1
		return os.CopyFS(to, os.DirFS("../../scanner/web/built"))
	}
	if os.Getenv("TCODE_DEMO_BUILD") == "1" {
		builder = func(ctx context.Context, to string, told func(done, all int)) error {
			return build.Into(ctx, to, func(done, all int) {
				told(done, all)
				last = done
			})
		}
	}
	app, err := phoneApp(t.Context(), web.NewFrom(fstest.MapFS{}), builder, t.TempDir(), &bytes.Buffer{})
	if err != nil || last == 0 {
		t.Fatal(last, err)
	}
	got, err := app.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	is, _ := json.Marshal(got)
	if must, _ := json.Marshal(want); !bytes.Equal(is, must) {
		t.Errorf("built %s, want %s", is, must)
	}
	q := httptest.NewRequest("GET", "/scan/engine.wasm", nil)
	q.Header.Set("Accept-Encoding", "br")
	w := httptest.NewRecorder()
	app.ServeHTTP(w, q)
	if w.Code != 200 || w.Header().Get("Content-Encoding") != "br" || w.Body.Len() == 0 {
		t.Errorf("%d %q, %d bytes", w.Code, w.Header().Get("Content-Encoding"), w.Body.Len())
	}
	if again, err := phoneApp(t.Context(), own, builder, t.TempDir(), &bytes.Buffer{}); again != own || err != nil {
		t.Errorf("a program with the engine: %v, %v", again, err)
	}
}

// TestReach: the words about an address are true.
func TestReach(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://gateway.example": "It works on each phone", "http://127.0.0.1:8080": "adb reverse tcp:8080 tcp:8080",
		"http://192.168.1.7:8080": "no camera and no storage", "http://0.0.0.0:80": "no camera",
	} {
		if got := reach(address); !strings.Contains(got, want) {
			t.Errorf("%s: %s", address, got)
		}
	}
}
