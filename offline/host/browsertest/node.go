//go:build !js

package browsertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Node builds the tests of the package in dir for the browser and runs those with these names in Node, with the loader that Go has for web
// pages: tests that need nothing else of a browser. Each must run and pass. It skips t where Node is missing, or fails it if the
// environment has CI=true.
func Node(t *testing.T, dir string, names ...string) {
	t.Helper()
	node := installed(t, "node")
	file, loaders := compiled(t, dir)
	run := exec.CommandContext(t.Context(), node, "--stack-size=8192", filepath.Join(loaders, "wasm_exec_node.js"), file, "-test.v", "-test.run=^("+strings.Join(names, "|")+")$")
	run.Env = []string{"PATH=" + os.Getenv("PATH")} // the loader accepts only a small environment
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("run: %v\n%s", err, out)
	}
	for _, name := range names {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("%s did not run in the browser build", name)
		}
	}
}
