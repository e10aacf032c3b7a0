package trust_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/world"
)

// TestForgedTrustDocumentsToldByTheProgram: tcode-scan refuses forged
// documents, prints the reason on the error stream and in trust show, and keeps
// its state. It uses every twentieth of them; TCODE_FORGED=1 uses all.
func TestForgedTrustDocumentsToldByTheProgram(t *testing.T) {
	t.Parallel()
	m := newForger(t)
	home := filepath.Join(t.TempDir(), "scanner")
	scan := func(args ...string) (stdout, stderr string, code int) {
		t.Helper()
		cmd := exec.Command(world.Program(t, "tcode-scan"), args...)
		cmd.Env = append(os.Environ(), "TCODE_HOME="+home, "TCODE_GATEWAY="+m.url, "TCODE_ROOT=", "TCODE_LOG_LEVEL=error")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		return out.String(), errs.String(), world.ExitCode(t, err)
	}
	file := filepath.Join(t.TempDir(), "forged.export")
	world.WriteFile(t, file, newDocs(100, 0).assemble().file())
	if _, stderr, code := scan("trust", "import", file); code != 0 {
		t.Fatal(stderr)
	}
	held, _, _ := scan("trust", "export", "-")
	every := 20
	if os.Getenv("TCODE_FORGED") != "" {
		every = 1
	}
	tried := 0
	for i, c := range forgeries() {
		if i%every != 0 {
			continue
		}
		tried++
		m.now = c.docs.assemble()
		_, stderr, code := scan("trust", "refresh")
		if code == 0 {
			t.Errorf("%s: accepted", c.name)
		}
		if c.want != nil && !strings.Contains(stderr, c.want.Error()) {
			t.Errorf("%s: the error stream lacks %q:\n%s", c.name, c.want, stderr)
		}
		show, _, _ := scan("trust", "show")
		_, why, ok := strings.Cut(show, "last try")
		why = strings.TrimSpace(strings.SplitN(why, "\n", 2)[0])
		why = strings.ReplaceAll(why, `\\`, `\`) // as trust.Escape writes it
		if !ok || why == "" || !strings.Contains(stderr, why[:min(len(why), 40)]) {
			t.Errorf("%s: trust show tells %q of\n%s", c.name, why, stderr)
		}
		world.WriteFile(t, file, m.now.file())
		if _, stderr, code := scan("trust", "import", file); code == 0 || strings.TrimSpace(stderr) == "" {
			t.Errorf("%s: the file is accepted, or refused without a word: %q", c.name, stderr)
		}
		if now, _, _ := scan("trust", "export", "-"); now != held {
			t.Fatalf("%s: the state has changed", c.name)
		}
	}
	t.Logf("%d forgeries by a mirror and by a file on the program, 0 accepted", tried)
}

// mirrorTricks are answers that are not documents.
var mirrorTricks = map[string]func(w http.ResponseWriter){
	"500":        func(w http.ResponseWriter) { http.Error(w, "no", http.StatusInternalServerError) },
	"204":        func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) },
	"206":        func(w http.ResponseWriter) { w.WriteHeader(http.StatusPartialContent); w.Write([]byte("x")) },
	"redirected": func(w http.ResponseWriter) { w.Header().Set("Location", "?again"); w.WriteHeader(http.StatusFound) },
	"cut":        func(w http.ResponseWriter) { w.Header().Set("Content-Length", "100"); w.Write([]byte("tcode-trust/1")) },
	"endless": func(w http.ResponseWriter) {
		for {
			if _, err := w.Write(bytes.Repeat([]byte("x"), 64<<10)); err != nil {
				return
			}
		}
	},
	"silent": func(w http.ResponseWriter) { time.Sleep(time.Second) },
	"dripping": func(w http.ResponseWriter) {
		for range 50 {
			w.Write([]byte("x"))
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	},
}

// TestMirrorTricks: whatever a mirror answers in place of each document, a
// refresh ends by its deadline with a reason, and the state stays. A mirror
// that repeats held documents changes nothing either.
func TestMirrorTricks(t *testing.T) {
	t.Parallel()
	m := newForger(t)
	d := newTarget(t, m.url)
	genuine, byDelta := next().assemble(), next().byDelta().assemble()
	objects := map[string]string{"root": "root/4", "timestamp": "timestamp"}
	for hash, what := range genuine.names {
		if what != "0" && what != "2" && what != "delta" { // held already, or younger than the held one
			objects[what] = hash
		}
	}
	if len(objects) != 6 {
		t.Fatalf("documents %v", objects)
	}
	for hash, what := range byDelta.names {
		if what == "delta" {
			objects[what] = hash
		}
	}
	tried := 0
	for trick, answer := range mirrorTricks {
		for what, name := range objects {
			if m.now = genuine; what == "delta" {
				m.now = byDelta
			}
			m.hook = func(w http.ResponseWriter, asked string) bool {
				if asked == name {
					answer(w)
				}
				return asked == name
			}
			ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
			_, err := d.feed.Refresh(ctx)
			cancel()
			if err == nil || !bytes.Equal(d.state(t), d.held) {
				t.Errorf("%s for %s: %v", trick, what, err)
			}
			tried++
		}
	}
	m.hook = nil
	for name, frozen := range map[string]forged{"the same set": newDocs(100, 0).assemble(), "no newer root": newDocs(100, 0).assemble()} {
		if name == "no newer root" {
			frozen.roots = frozen.roots[:2]
		}
		m.now = frozen
		if rep, err := d.feed.Refresh(t.Context()); err != nil || rep.Changes.Any() || !bytes.Equal(d.state(t), d.held) {
			t.Errorf("frozen with %s: %+v, %v", name, rep.Changes, err)
		}
		tried++
	}
	if tried < 40 {
		t.Errorf("%d tricks", tried)
	}
}
