//go:build !js

package browsertest_test

//race:off its tests run in a browser

import (
	"strings"
	"testing"

	"tcode/offline/host/browsertest"
)

// TestProgram checks the ends of a program, whose tests are in program_test.go: success, failure, and a kill at a line.
func TestProgram(t *testing.T) {
	t.Parallel()
	p := browsertest.Build(t, ".")
	p.Env = map[string]string{"SETTING": "known"}
	if r := p.Test(t, "-test.run=^TestPasses$"); !strings.Contains(r.Output, "setting known\n") {
		t.Errorf("output:\n%s", r.Output)
	}
	if r := p.Run(t, "-test.run=^TestFails$"); r.Code != 1 || r.Killed || !strings.Contains(r.Output, "as it must") {
		t.Errorf("a failed test: %+v", r)
	}
	p.OnLine = func(line string) bool { return line == "now" }
	if r := p.Run(t, "-test.run=^TestWaits$"); r.Code != -1 || !r.Killed || strings.Contains(r.Output, "after") {
		t.Errorf("a killed program: %+v", r)
	}
	p.OnLine = nil
	p.Test(t, "-test.run=^TestPasses$")
}
