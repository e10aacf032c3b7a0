package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/server/outbound/webhook"
)

// check runs the sample of FORMAT.md.
func check(header string, body []byte, secret string, now time.Time) bool {
	t, signatures := "", []string{}
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			t = value
		case "v1":
			signatures = append(signatures, value)
		}
	}
	at, err := strconv.ParseInt(t, 10, 64)
	if err != nil || now.Sub(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return false
	}
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(t + "."))
	m.Write(body)
	want := hex.EncodeToString(m.Sum(nil))
	return slices.ContainsFunc(signatures, func(s string) bool { return hmac.Equal([]byte(s), []byte(want)) })
}

// sample returns the code of FORMAT.md in a language.
func sample(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("FORMAT.md")
	must(t, err)
	m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(text)
	if m == nil {
		t.Fatalf("FORMAT.md has no code in %s", language)
	}
	return string(m[1])
}

// sampleCases are the expected results of each sample, by header, for the body {"a":1},
// the secret whsec_k and the time now.
func sampleCases() map[string]bool {
	body := []byte(`{"a":1}`)
	good := webhook.Sign(now, body, "whsec_k")
	return map[string]bool{
		good: true,
		webhook.Sign(now, body, "whsec_new", "whsec_k"):                        true,
		webhook.Sign(now, body, "whsec_new"):                                   false,
		webhook.Sign(now, []byte("{}"), "whsec_k"):                             false,
		webhook.Sign(now.Add(-webhook.Tolerance-time.Second), body, "whsec_k"): false,
		strings.Replace(good, "v1=", "v0=", 1):                                 false,
		"t=1795206704,v1=":                                                     false,
		"t=1795206704,v1=zz":                                                   false,
		"t=,v1=00":                                                             false,
		"rubbish":                                                              false,
		"":                                                                     false,
	}
}

// TestSamples runs the samples for receivers, in the languages that are
// installed.
func TestSamples(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("sample_test.go")
	must(t, err)
	if !strings.Contains(string(source), sample(t, "go")) {
		t.Error("the sample in Go is not the one that is tested here")
	}
	for header, want := range sampleCases() {
		if got := check(header, []byte(`{"a":1}`), "whsec_k", now); got != want {
			t.Errorf("Go: %q is %v, want %v", header, got, want)
		}
	}
	at := strconv.FormatInt(now.Unix(), 10)
	for _, x := range []struct{ language, program, file, call string }{
		{"python", "python3", "check.py", "\nimport sys\nprint(str(check(sys.argv[1], b'{\"a\":1}', 'whsec_k', " + at + ")).lower())\n"},
		{"js", "node", "check.js", "\nconsole.log(check(process.argv[2], Buffer.from('{\"a\":1}'), 'whsec_k', " + at + "));\n"},
		{"php", "php", "check.php", "\necho check($argv[1], '{\"a\":1}', 'whsec_k', " + at + ") ? 'true' : 'false';\n"},
	} {
		code := sample(t, x.language) + x.call
		if x.language == "php" {
			code = "<?php\n" + code
		}
		program, err := exec.LookPath(x.program)
		if err != nil {
			t.Logf("no %s here: its sample was not run", x.program)
			continue
		}
		file := filepath.Join(t.TempDir(), x.file)
		must(t, os.WriteFile(file, []byte(code), 0o600))
		for header, want := range sampleCases() {
			out, err := exec.CommandContext(t.Context(), program, file, header).CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != strconv.FormatBool(want) {
				t.Errorf("%s: %q is %s, %v, want %v", x.language, header, got, err, want)
			}
		}
	}
}
