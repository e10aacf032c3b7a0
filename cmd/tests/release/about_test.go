package release_test

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	programabout "tcode/cmd/internal/about"
	"tcode/cmd/internal/world"
)

// TestVersion: all programs name version, engines and licence, in words and as JSON, by the flag and by the command, and print a licence
// text for each module that they link.
func TestVersion(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tcode", "tcode-scan", "tcode-gateway", "tcode-demo"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := func(args ...string) string {
				t.Helper()
				out, err := exec.Command(world.Program(t, name), args...).Output()
				if err != nil {
					t.Fatalf("%s %q: %v", name, args, err)
				}
				return string(out)
			}
			words := out("version")
			if head := regexp.MustCompile(`^` + name + ` \S+\n`); !head.MatchString(words) || !strings.Contains(words, "licence    AGPL-3.0-or-later") || !strings.Contains(words, runtime.Version()) {
				t.Errorf("version:\n%s", words)
			}
			if flag := out("--version"); !strings.HasPrefix(words, flag[:strings.Index(flag, "   licence")]) {
				t.Errorf("--version says\n%s\nversion says\n%s", flag, words)
			}
			var b programabout.Build
			for _, args := range [][]string{{"version", "--json"}, {"--json", "--version"}} {
				if err := json.Unmarshal([]byte(out(args...)), &b); err != nil || b.Program != name || b.Go != runtime.Version() || b.System != runtime.GOOS || len(b.Modules) < 10 || len(b.Unknown) > 0 {
					t.Errorf("%q: %v, %+v", args, err, b)
				}
			}
			if engines := len(b.Engines); (name == "tcode") != (engines == 0) || (engines == 2) != (len(b.OtherAGPL) == 1) {
				t.Errorf("engines %v, under the AGPL %v", b.Engines, b.OtherAGPL)
			}
			texts := out("version", "--licences")
			for _, m := range b.Modules {
				if !strings.Contains(texts, "\n"+m.Path+": ") {
					t.Errorf("no licence text of %s", m.Path)
				}
			}
		})
	}
}
