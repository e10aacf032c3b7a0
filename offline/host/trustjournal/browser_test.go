//go:build !js

package trustjournal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBrowserBuild builds the conformance test for the browser and runs it in Node,
// with the loader that Go has for web pages.
func TestBrowserBuild(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("node is required here: ", err)
		}
		t.Skip("node is not installed")
	}
	program := filepath.Join(t.TempDir(), "trustjournal.wasm")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	loader := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	run := exec.CommandContext(t.Context(), node, "--stack-size=8192", loader, program, "-test.v", "-test.run=^(TestConformance|TestFacts)$")
	run.Env = []string{"PATH=" + os.Getenv("PATH")} // the loader accepts only a small environment
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("run: %v\n%s", err, out)
	}
	for _, name := range []string{"TestConformance", "TestFacts"} {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("%s did not run in the browser build", name)
		}
	}
}
