//go:build !js

package browsertest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// limit is the longest time that one run may take.
const limit = 4 * time.Minute

// A Program is the tests of one package, built for the browser. One run at a time.
type Program struct {
	// Env has the environment of the program, such as settings of its tests.
	Env map[string]string
	// OnLine is called with each line that the program writes, while the program waits. If it returns true, Chromium is killed.
	OnLine func(line string) (kill bool)
	// Handler answers the requests of the program whose paths do not begin with /browsertest/. It may be nil.
	Handler http.Handler

	chromium string
	profile  string
	url      string

	mu  sync.Mutex
	now *run
}

// A Result is how a run ended.
type Result struct {
	Output string
	Code   int  // exit code; -1: there was none
	Killed bool // OnLine said so
}

// Build builds the tests of the package in dir, and starts their server, which ends with t. It skips t where Chromium is missing,
// or fails it if the environment has CI=true.
func Build(t *testing.T, dir string) *Program {
	t.Helper()
	chromium := Headless(t)
	file, loaders := compiled(t, dir)
	p := &Program{chromium: chromium, profile: t.TempDir()}
	loader := filepath.Join(loaders, "wasm_exec.js")
	srv := httptest.NewServer(p.routes(file, loader))
	t.Cleanup(srv.Close)
	p.url = srv.URL
	return p
}

// Chromium returns its path. It skips t where Chromium is missing, or fails it if the environment has CI=true.
func Chromium(t testing.TB) string { return installed(t, "chromium") }

// Headless returns the path of Chromium's headless shell, which is the browser without its own windows, or that of Chromium. It draws
// and runs pages as Chromium does, for two thirds of the CPU time. It skips t or fails it as Chromium does.
func Headless(t testing.TB) string {
	t.Helper()
	if shell, err := exec.LookPath("chromium-headless-shell"); err == nil {
		return shell
	}
	return Chromium(t)
}

func installed(t testing.TB, name string) string {
	t.Helper()
	file, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(name+" is required here: ", err)
		}
		t.Skip(name + " is not installed")
	}
	return file
}

// builds are the tests that this process has built for the browser, by folder.
var builds struct {
	mu   sync.Mutex
	done map[string][]byte
}

// compiled builds the tests of the package in dir for the browser, once for all tests. It returns
// their file, and the folder of Go's loaders.
func compiled(t testing.TB, dir string) (file, loaders string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "tests.wasm")
	if err := os.WriteFile(file, program(t, dir), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return file, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm")
}

// program returns the tests of the package in dir, without tables for debuggers.
func program(t testing.TB, dir string) []byte {
	t.Helper()
	builds.mu.Lock()
	defer builds.mu.Unlock()
	if made := builds.done[dir]; made != nil {
		return made
	}
	file := filepath.Join(t.TempDir(), "built.wasm")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-ldflags=-w", "-o", file, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	made, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if builds.done == nil {
		builds.done = map[string][]byte{}
	}
	builds.done[dir] = made
	return made
}

// URL returns the address of the server, such as http://127.0.0.1:8080.
func (p *Program) URL() string { return p.url }

// Test runs the program with its tests in view, and fails t unless it ran some and all passed. With CI=true none may be skipped.
func (p *Program) Test(t *testing.T, args ...string) Result {
	t.Helper()
	r := p.Run(t, append([]string{"-test.v"}, args...)...)
	switch {
	case r.Code != 0:
		t.Errorf("tests in the browser: exit code %d\n%s", r.Code, r.Output)
	case !strings.Contains(r.Output, "--- PASS: "):
		t.Errorf("no test ran in the browser\n%s", r.Output)
	case os.Getenv("CI") == "true" && strings.Contains(r.Output, "--- SKIP: "):
		t.Errorf("tests were skipped in the browser\n%s", r.Output)
	}
	return r
}

// Run runs the program with these arguments in a new Chromium on the profile of the runs before, until it exits or is killed.
func (p *Program) Run(t *testing.T, args ...string) Result {
	t.Helper()
	now := &run{args: args, end: make(chan struct{})}
	p.mu.Lock()
	p.now = now
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	ctx, end := chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(chromedp.ExecPath(p.chromium), chromedp.NoSandbox,
		chromedp.UserDataDir(p.profile), chromedp.ModifyCmdFunc(now.watch)))
	defer end()
	now.began(ctx)
	err := chromedp.Do(ctx, chromedp.Navigate(p.url+"/browsertest/"))
	if err != nil && !now.result().Killed {
		t.Fatalf("start of chromium: %v", err)
	}
	select {
	case <-now.end:
	case <-ctx.Done():
		if !now.result().Killed {
			t.Errorf("the program did not end in %v, or Chromium ended first: %v", limit, ctx.Err())
		}
	}
	end()
	now.kill() // the browser is gone before the next run opens its profile
	return now.result()
}

// run is one run of a program.
type run struct {
	args []string
	end  chan struct{} // closed when the program has exited or Chromium was killed

	mu   sync.Mutex
	ctx  context.Context // of Chromium
	cmd  *exec.Cmd
	out  strings.Builder
	line string // its begin, not whole yet
	over bool
	res  Result
}

func (r *run) watch(cmd *exec.Cmd) {
	OwnGroup(cmd)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cmd = cmd
}

func (r *run) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd != nil && r.cmd.Process != nil {
		KillGroup(r.cmd.Process.Pid)
	}
}

func (r *run) result() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	res := r.res
	res.Output = r.out.String()
	if !r.over || res.Killed {
		res.Code = -1
	}
	return res
}

// exit ends the run with the exit code of the program.
func (r *run) exit(code int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.over, r.res = true, Result{Code: code}
		close(r.end)
	}
}

// cut ends the run by a kill: first Chromium, so that nothing of it can close in order.
func (r *run) cut() {
	r.mu.Lock()
	over := r.over
	if !over {
		r.over, r.res = true, Result{Killed: true}
	}
	r.mu.Unlock()
	if !over {
		r.kill()
		close(r.end)
	}
}

// wrote takes a part of the output, and returns the lines that it completes.
func (r *run) wrote(text string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out.WriteString(text)
	lines := strings.Split(r.line+text, "\n")
	r.line = lines[len(lines)-1]
	return lines[:len(lines)-1]
}

func (p *Program) current() *run {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// settings is what the worker needs to start the program.
func (p *Program) settings() ([]byte, error) {
	env := p.Env
	if env == nil {
		env = map[string]string{}
	}
	return json.Marshal(map[string]any{"args": append([]string{"tests"}, p.current().args...), "env": env})
}
