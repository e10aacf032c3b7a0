package apitest

import (
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tcode/server/internal/harness"
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
)

// commands matches the commands of the guide that a reader runs one after another.
var commands = regexp.MustCompile(`(?s)<code class="run">(.*?)</code>`)

// TestGuide runs all commands of the guide for developers with a real gateway, in the
// order of the page, with a key as the page recommends it.
//
//engine:sqlite the commands are under test
func TestGuide(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	r.Tenant("ACME01")
	made, err := r.Admin.Tenants.CreateKey(t.Context(), "ACME01", tenant.KeyOptions{Name: "guide", Test: true})
	harness.Must(t, err)
	page := string(r.Want(r.Get("", "/docs/"), 200).Raw)
	if !strings.Contains(page, "export API="+r.URL+" ") {
		t.Error("the commands are not for this gateway")
	}
	const cut = "---- next ----"
	script := "set -euo pipefail\n"
	blocks := commands.FindAllStringSubmatch(page, -1)
	for _, m := range blocks {
		script += html.UnescapeString(m[1]) + "\necho; echo '" + cut + "'\n"
	}
	dir := t.TempDir()
	harness.Must(t, os.WriteFile(filepath.Join(dir, "diploma.pdf"), harness.PDF("diploma"), 0o600))
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "API="+r.URL, "KEY="+made.Secret)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	said := strings.Split(string(out), cut)
	// What each of them must say: the quick start is the first five.
	want := []string{"", "", `"verdict":"valid"`, `"result":"accepted"`, `"location":"Main entrance"`, `"verdict":"valid"`, `"status":"Completed"`, `"VALIDATION_FAILED"`, "Replayed: true"}
	if len(blocks) != len(want) {
		t.Fatalf("%d blocks of commands, want %d", len(blocks), len(want))
	}
	for i, w := range want {
		if !strings.Contains(said[i], w) {
			t.Errorf("%s\nsays %s\nwant %s", html.UnescapeString(blocks[i][1]), said[i], w)
		}
	}
	if stamped, err := os.ReadFile(filepath.Join(dir, "stamped.pdf")); err != nil || !strings.HasPrefix(string(stamped), "%PDF-") {
		t.Errorf("stamped.pdf begins %.20q, %v", stamped, err)
	}
}

// TestGuideOnWebhooks: the guide names every event, and its check of signatures is that of
// server/outbound/webhook/FORMAT.md, whose samples have a test of their own.
//
//engine:sqlite the text of the page is under test
func TestGuideOnWebhooks(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	page := html.UnescapeString(string(r.Want(r.Get("", "/docs/"), 200).Raw))
	want := []string{string(webhook.Ping)}
	for _, typ := range webhook.EventTypes() {
		want = append(want, string(typ))
	}
	var got []string
	_, section, _ := strings.Cut(page, `id="webhooks"`)
	section, _, _ = strings.Cut(section, "</table>")
	for _, m := range regexp.MustCompile(`<tr><td><code>([a-z]+[a-z., ]*)</code>`).FindAllStringSubmatch(section, -1) {
		got = append(got, strings.Split(m[1], ", ")...)
	}
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
	sample := regexp.MustCompile(`(?s)<code class="check">(.*?)</code>`).FindStringSubmatch(page)
	format, err := os.ReadFile(filepath.FromSlash("../outbound/webhook/FORMAT.md"))
	harness.Must(t, err)
	if sample == nil || !strings.Contains(string(format), "```python\n"+sample[1]+"\n```") {
		t.Errorf("the check of signatures is another one: %q", sample)
	}
	client := r.Want(r.Get("", "/docs/tcode_client.py"), 200)
	if file, err := os.ReadFile(filepath.Join("..", "client", "python", "tcode_client.py")); err != nil || string(file) != string(client.Raw) {
		t.Errorf("tcode_client.py is not the generated one: %d bytes, %v", len(client.Raw), err)
	}
}
