package device_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// TestEnrolByCode: the text of the gateway's enrolment code enrols a scanner
// with a verified root, and only with that one.
func TestEnrolByCode(t *testing.T) {
	w := world.New(t, 1)
	out, err := exec.Command(world.Program(t, "tcode-gateway"), "--data", w.Data, "enrol-code",
		"--json", "--public-url", w.URL()).Output()
	if err != nil {
		t.Fatal(err)
	}
	var line struct{ Code, Fingerprint string }
	if err := json.Unmarshal(out, &line); err != nil {
		t.Fatal(err)
	}
	enrol := func(home string, args ...string) (stdout, stderr string, code int) {
		cmd := exec.Command(world.Program(t, "tcode-scan"),
			append([]string{"--home", filepath.Join(w.Dir, home), "--json", "enrol"}, args...)...)
		cmd.Env = []string{} // no TCODE_GATEWAY, no TCODE_ROOT
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		return string(out), said.String(), world.ExitCode(t, err)
	}
	stdout, stderr, code := enrol("good", line.Code)
	if code != 0 || !strings.Contains(stdout, `"fingerprint":"`+line.Fingerprint+`"`) || !strings.Contains(stdout, `"fingerprintChecked":true`) {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	other := w.URL() + "/#tcode-enrol=" + strings.Repeat("0", 64)
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string // on the error stream
	}{
		{"another root", []string{other}, 1, "fingerprint"},
		{"two roots", []string{line.Code, "--root", strings.Repeat("0", 64)}, 2, "different roots"},
		{"two gateways", []string{line.Code, "--gateway", "https://other.example"}, 2, "--gateway (or TCODE_GATEWAY) says https://other.example"},
		{"no code", []string{w.URL()}, 2, "not an enrolment code"},
		{"nothing", nil, 2, "give --gateway URL, or the text of an enrolment code"},
	} {
		stdout, stderr, code := enrol("bad", tt.args...)
		if code != tt.code || !strings.Contains(stderr, tt.want) || stdout != "" {
			t.Errorf("%s: exit code %d, %q, %q; want code %d and %q", tt.name, code, stdout, stderr, tt.code, tt.want)
		}
	}
}
