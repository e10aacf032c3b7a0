package trustdoc_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNode runs every vector through testdata/conformance.mjs, a reader in
// another language that was written from FORMAT.md and shares no code with this
// package; its signatures are Node's. Package server's tests have it check what
// a gateway issued.
func TestNode(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("node is required here: ", err)
		}
		t.Skip("node is not installed")
	}
	// Read here too, so that the test's cached result ends with a change to it.
	if _, err := os.ReadFile("testdata/conformance.mjs"); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "testdata/conformance.mjs", "vectors", "../../../testdata/vectors/document")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var want strings.Builder
	for _, v := range vectors(t) {
		want.WriteString(v.Name + " " + v.Get("expect") + "\n")
	}
	if diff := cmp.Diff(want.String(), string(out)); diff != "" {
		t.Errorf("Node's classes (-expected +found):\n%s", diff)
	}
}
