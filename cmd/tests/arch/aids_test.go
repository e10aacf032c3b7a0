package arch_test

import (
	"regexp"
	"strings"
	"testing"
)

// aids matches packages that are for tests and measurements alone, by their folder: what
// makes prepared files, displays, faults, gateways of tests and benches.
var aids = regexp.MustCompile(`(^|/)(\w+test|bench|harness|prepared|viewers|powercut|world|lint)(/|$)`)

// TestAids: no program links a package that is for tests alone.
func TestAids(t *testing.T) {
	all := load(t)
	from := map[string]string{} // package -> one that imports it
	var list []string
	for _, p := range []string{"tcode", "tcode-demo", "tcode-gateway", "tcode-scan"} {
		from["cmd/"+p] = "go build"
		list = append(list, "cmd/"+p)
	}
	for len(list) > 0 {
		p := list[0]
		list = list[1:]
		if aids.MatchString(p) {
			t.Errorf("%s is for tests, and %s imports it", p, from[p])
		}
		for imp := range all[p].imports {
			ours, ok := strings.CutPrefix(imp, modulePath+"/")
			if _, seen := from[ours]; ok && !seen && all[ours] != nil {
				from[ours] = p
				list = append(list, ours)
			}
		}
	}
	if len(from) < 100 {
		t.Errorf("only %d packages were looked at", len(from))
	}
}
