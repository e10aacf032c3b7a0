package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"tcode/scanner/bench/score"
)

// browsers are the names of programs that can show frame.html.
var browsers = []string{"chromium", "chromium-browser", "google-chrome"}

const (
	browserLimit = 5 * time.Minute
	// answerLimit bounds what the page may send back: some hundred bytes a frame.
	answerLimit = 16 << 20
)

var errBrowser = errors.New("the page in the browser failed")

// findBrowser returns the program named by the user, or the first that is
// installed; empty when there is none.
func findBrowser(given string) string {
	if given != "" {
		return given
	}
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// inBrowser has both readers read the frames in files, gzipped PGM, in a page of
// a headless browser. program is our reader as WebAssembly and glue Go's own
// script to start it.
func inBrowser(ctx context.Context, o options, browser, dir, program, glue string, files []string) ([]score.FrameAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, browserLimit)
	defer cancel()
	told := make(chan pageAnswer, 1)
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve frames: %w", err)
	}
	srv := &http.Server{Handler: framePages(o.peerDir, program, glue, files, told), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.Serve(l) }() // ends with Close
	defer func() { _ = srv.Close() }()

	// The frames are our own and nothing else is loaded: the sandbox, which a
	// super-user cannot start, has nothing to keep out.
	cmd := exec.CommandContext(ctx, browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--user-data-dir="+filepath.Join(dir, "profile"), "http://"+l.Addr().String()+"/")
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start browser: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill(); <-ended }()
	select {
	case a := <-told:
		if a.Error != "" {
			return nil, fmt.Errorf("%w: %s", errBrowser, a.Error)
		}
		return a.Answers, nil
	case err := <-ended:
		ended <- nil
		return nil, fmt.Errorf("browser ended early: %w", errors.Join(errBrowser, err))
	case <-ctx.Done():
		return nil, fmt.Errorf("camera frames in the browser: %w", ctx.Err())
	}
}

// pageAnswer is what frame-browser.mjs sends when it is done.
type pageAnswer struct {
	Answers []score.FrameAnswer `json:"answers"`
	Error   string              `json:"error"`
}

// framePages serves what frame-browser.mjs asks for.
func framePages(peerDir, program, glue string, files []string, told chan<- pageAnswer) http.Handler {
	mux := http.NewServeMux()
	file := func(path, name string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, name) })
	}
	file("/{$}", filepath.Join(peerDir, "frame.html"))
	file("/frame-browser.mjs", filepath.Join(peerDir, "frame-browser.mjs"))
	file("/frame.wasm", program)
	file("/wasm_exec.js", glue)
	mux.Handle("GET /zxing-wasm/", http.StripPrefix("/zxing-wasm/", http.FileServer(http.Dir(filepath.Join(peerDir, "node_modules", "zxing-wasm", "dist")))))
	mux.HandleFunc("GET /frames", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(len(files)) })
	mux.HandleFunc("GET /frame/{i}", func(w http.ResponseWriter, r *http.Request) {
		i, err := strconv.Atoi(r.PathValue("i"))
		if err != nil || i < 0 || i >= len(files) {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream") // the page inflates it
		http.ServeFile(w, r, files[i])
	})
	mux.HandleFunc("POST /answers", func(w http.ResponseWriter, r *http.Request) {
		var a pageAnswer
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, answerLimit)).Decode(&a); err != nil {
			a.Error = err.Error()
		}
		w.WriteHeader(http.StatusNoContent)
		select {
		case told <- a:
		default: // a second page
		}
	})
	return mux
}
