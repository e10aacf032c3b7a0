package cmd_test

import (
	"os/exec"
	"regexp"
	"testing"
)

// TestDemo runs the whole story like the first command of the README: each step
// ends as expected.
func TestDemo(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(program(t, "tcode-demo")).CombinedOutput()
	if err != nil || !regexp.MustCompile(`\b([0-9]{2,}) steps, ([0-9]{2,}) as expected, 0 different`).Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}
