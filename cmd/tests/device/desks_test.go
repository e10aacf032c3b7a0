package device_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/cmd/internal/world"
)

// TestDesks: tcode-scan as it is built for other desks, without cgo, gives the answers of the build for this machine, keeps each
// scan that it has shown when it is killed, and sends each once. It runs the program for Windows under Wine and that for ARM under
// QEMU, which takes minutes, so it runs on request alone: TCODE_DESKS=windows/amd64,linux/arm64.
func TestDesks(t *testing.T) {
	asked := os.Getenv("TCODE_DESKS")
	if asked == "" {
		t.Log("TCODE_DESKS names no system")
		return
	}
	w := world.New(t, 1)
	files := deskFiles(w)
	native := buildDesk(t, "linux/amd64", "nomupdf")
	online, home := filepath.Join(w.Dir, "online"), filepath.Join(w.Dir, "native")
	export := filepath.Join(w.Dir, "carry.export")
	native.run(t, 0, "--home", online, "enrol", "--gateway", w.URL())
	native.run(t, 0, "--home", online, "trust", "export", export)
	native.run(t, 0, "--home", home, "trust", "import", export)
	want := native.answers(t, home, files)
	for _, target := range strings.Split(asked, ",") {
		t.Run(target, func(t *testing.T) {
			d := emulated(t, target)
			t.Logf("%s", d.run(t, 0, "version"))
			home := filepath.Join(w.Dir, strings.ReplaceAll(target, "/", "-"))
			d.run(t, 0, "--home", home, "trust", "import", export)
			began := time.Now()
			got := d.answers(t, home, files)
			t.Logf("%d documents took %v", len(files), time.Since(began).Round(time.Second))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("other answers than the build for this machine (-want +got):\n%s", diff)
			}
			d.killed(t, w, home+"-killed")
		})
	}
}

// deskFiles makes ten documents: stamped, revoked, changed, without a stamp, hostile, damaged, a picture.
func deskFiles(w *world.World) (names []string) {
	add := func(name string, data []byte) { names = append(names, w.File(name, data)) }
	papers := map[string]world.Paper{}
	for _, name := range []string{"letter", "diploma", "arabic", "scanned"} {
		papers[name] = w.Stamp(w.Issuers[0], name, world.Document(w.T, name+".pdf"))
		add(name+".pdf", papers[name].PDF)
	}
	gone := w.Stamp(w.Issuers[0], "gone", world.SmallPDF(1))
	w.Call(w.Issuers[0], http.MethodPost, "/v1/tcode/stamps/"+gone.ID+"/revoke",
		map[string]any{"reason": "lost"}, nil)
	add("revoked.pdf", gone.PDF)
	changed := slices.Clone(papers["letter"].PDF)
	changed[2000] ^= 1
	add("changed.pdf", changed)
	add("appended.pdf", append(slices.Clone(papers["diploma"].PDF), "\n% more\n"...))
	add("without.pdf", world.Document(w.T, "invoice.pdf"))
	add("hostile.pdf", world.HostilePDFs()["a picture of 60,000 px"])
	add("damaged.pdf", papers["arabic"].PDF[:5000])
	return names
}

// A desk is tcode-scan for a system, and how to run it here.
type desk struct {
	exe    string
	before []string // words before the program
	env    []string
}

// buildDesk builds tcode-scan without cgo.
func buildDesk(t *testing.T, target, tags string) desk {
	t.Helper()
	system, machine, _ := strings.Cut(target, "/")
	d := desk{exe: filepath.Join(t.TempDir(), "tcode-scan")}
	if system == "windows" {
		d.exe += ".exe"
	}
	cmd := exec.Command("go", "build", "-tags", tags, "-o", d.exe, "tcode/cmd/tcode-scan")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build for %s: %v\n%s", target, err, out)
	}
	return d
}

// emulated returns the program for a system that this machine emulates. The Debian packages are in CONTRIBUTING.
func emulated(t *testing.T, target string) desk {
	t.Helper()
	switch target {
	case "windows/amd64":
		d := buildDesk(t, target, "nodynamic")
		prefix, err := os.MkdirTemp("", "wine-")
		if err != nil {
			t.Fatal(err)
		}
		d.before, d.env = []string{world.Need(t, "wine")}, []string{
			"WINEPREFIX=" + prefix,
			"WINEDEBUG=-all",
		}
		d.start(t, "wineboot", "-i")
		t.Cleanup(func() {
			// until it has written the last of its files
			d.start(t, world.Need(t, "wineserver"), "-w")
			if err := os.RemoveAll(prefix); err != nil {
				t.Error(err)
			}
		})
		// Wine 8 has no bcryptprimitives.dll, from which Go takes random numbers.
		source := filepath.Join(prefix, "random.c")
		world.WriteFile(t, source, []byte(`#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE p, SIZE_T n) { return SystemFunction036(p, (ULONG)n); }
`))
		dll := filepath.Join(prefix, "drive_c/windows/system32/bcryptprimitives.dll")
		if _, err := os.Stat(dll); err != nil {
			d.start(t, world.Need(t, "x86_64-w64-mingw32-gcc"), "-shared", "-nostartfiles",
				"-Wl,-e,0", "-o", dll, source, "-ladvapi32")
		}
		return d
	case "linux/arm64":
		// A user namespace has its own table of interpreters, so the machine's is not changed.
		d := buildDesk(t, target, "emulated")
		script := filepath.Join(t.TempDir(), "arm")
		world.WriteFile(t, script, fmt.Appendf(nil, `mount -t binfmt_misc none /proc/sys/fs/binfmt_misc || exit 9
printf '%%s' ':arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:%s:PF' >/proc/sys/fs/binfmt_misc/register || exit 8
exec "$@"
`, world.Need(t, "qemu-aarch64")))
		d.before = []string{world.Need(t, "unshare"), "-Urm", "sh", script}
		return d
	}
	t.Fatalf("this test cannot run %s", target)
	return desk{}
}

func (d desk) start(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), d.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// command returns the program with arguments. The cache keeps PDFium between two tests, if TCODE_CACHE names a folder.
func (d desk) command(args ...string) *exec.Cmd {
	words := slices.Concat(d.before, []string{d.exe}, args)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), d.env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// run runs the program and returns what it prints.
func (d desk) run(t *testing.T, code int, args ...string) []byte {
	t.Helper()
	out, err := d.command(append([]string{"--document-time", "3m"}, args...)...).Output()
	if got := world.ExitCode(t, err); got != code {
		t.Fatalf("%v: exit code %d, want %d\n%s", args, got, code, out)
	}
	return out
}

// varies are the members of answers that differ from scan to scan.
var varies = []string{"file", "scanId", "scannedAt", "ageMs", "took", "ms", "seq", "at"}

// answers verifies the files and returns one answer a line, without what varies.
func (d desk) answers(t *testing.T, home string, files []string) (lines []string) {
	t.Helper()
	out := d.run(t, 3, append([]string{"--home", home, "--json", "verify", "--jobs", "1"}, files...)...)
	for line := range bytes.Lines(out) {
		var answer map[string]any
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		name, _ := answer["file"].(string)
		forget(answer)
		left, err := json.MarshalIndent(answer, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, name[strings.LastIndexAny(name, `/\`)+1:]+" "+string(age.ReplaceAll(left, []byte(`"AGE"`))))
	}
	return lines
}

// age is that of the status, in the words of a check.
var age = regexp.MustCompile(`"[^"]* old"`)

// forget removes what varies, at any depth.
func forget(v any) {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(key string, _ any) bool { return slices.Contains(varies, key) })
		for _, inner := range v {
			forget(inner)
		}
	case []any:
		for _, inner := range v {
			forget(inner)
		}
	}
}

// killed enrols the program, kills it between two verdicts three times, and sends its scans twice: every scan that was shown is
// at the gateway, once.
func (d desk) killed(t *testing.T, w *world.World, home string) {
	d.run(t, 0, "--home", home, "enrol", "--gateway", w.URL())
	p := w.Stamp(w.Issuers[0], "kill", world.SmallPDF(7))
	var files []string
	for i := range 8 {
		files = append(files, w.File(fmt.Sprintf("kill-%d.pdf", i), p.PDF))
	}
	before := w.ScansAtGateway()
	seen := map[string]bool{}
	for range 3 {
		run := slices.Concat(d.before, []string{d.exe, "--document-time", "3m", "--home", home, "--json", "verify", "--jobs", "1"}, files)
		for _, id := range killAfterIn(t, d.env, rand.IntN(4), run) {
			seen[id] = true
		}
	}
	t.Logf("%s", d.run(t, 0, "--home", home, "sync"))
	t.Logf("%s", d.run(t, 0, "--home", home, "sync"))
	at := w.ScansAtGateway()
	for id := range seen {
		if at[id] != 1 {
			t.Errorf("scan %s is %d times at the gateway, want once", id, at[id])
		}
	}
	for id, n := range at {
		if n != 1 {
			t.Errorf("scan %s is %d times at the gateway", id, n)
		}
	}
	if len(seen) < 3 || len(at)-len(before) < len(seen) {
		t.Errorf("%d verdicts seen, %d scans came: the test proves too little", len(seen), len(at)-len(before))
	}
}
