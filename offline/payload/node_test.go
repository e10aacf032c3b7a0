package payload_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNode runs every vector through testdata/conformance.mjs, a reader in
// another language that was written from FORMAT.md and shares no code with this
// package; it uses Node's signatures.
func TestNode(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("node is required here: ", err)
		}
		t.Skip("node is not installed")
	}
	// Reading the script here makes its changes invalidate the test's cached result.
	if _, err := os.ReadFile("testdata/conformance.mjs"); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "testdata/conformance.mjs", "../../testdata/vectors/payload")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var want strings.Builder
	for _, v := range readVectors(t) {
		want.WriteString(v.Name + " " + v.Get("expect") + "\n")
	}
	if diff := cmp.Diff(want.String(), string(out)); diff != "" {
		t.Errorf("Node's classes (-expected +found):\n%s", diff)
	}
}
