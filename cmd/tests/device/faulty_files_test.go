package device_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/offline/contain/containtest"
	"tcode/server/pdfstamp"
)

// A seedFault is a fault of a part of the program (offline/contain, seed_on.go) at a file of one kind.
type seedFault struct{ part, fault, ext string }

// seedFaults are those that cost one file: of the children of sandbox roles, and of the process that
// judges documents.
func seedFaults() (all []seedFault) {
	for _, child := range []seedFault{{part: "raster", ext: "pdf"}, {part: "raster-picture", ext: "png"}, {part: "raster-heic", ext: "heic"}, {part: "raster-avif", ext: "avif"}} {
		for _, what := range []string{"panic", "hang", "exit", "memory"} {
			all = append(all, seedFault{"child-" + child.part, what, child.ext})
		}
	}
	all = append(all, seedFault{"document", "panic", "pdf"})
	for _, part := range []string{"read-file", "page", "page-answer", "answer", "record"} {
		for _, what := range []string{"panic", "hang"} {
			all = append(all, seedFault{part, what, "pdf"}, seedFault{part, what, "png"})
		}
	}
	return append(all, endings...)
}

// endings are faults that end the process that judges documents.
var endings = []seedFault{
	{"answer", "exit", "png"},
	{"page", "stack", "pdf"},
	{"page-answer", "memory", "pdf"},
	{"record", "exit", "pdf"},
}

// fewFaults leaves most of the hangs out, because each takes seconds, and half of the others: each
// part and each fault is among them.
func fewFaults() (few []seedFault) {
	all := seedFaults()
	for i, f := range all[:len(all)-len(endings)] {
		if f.fault == "hang" {
			if f.part != "child-raster" && (f.part != "page" || f.ext != "pdf") {
				continue
			}
		} else if (i+i/4)%2 != 0 {
			continue
		}
		few = append(few, f)
	}
	return append(few, endings...)
}

// A pile is a folder of documents, of which some have a fault.
type pile struct {
	t                testing.TB
	home, dir, seeds string
	want             map[string]string // verdict by name; "fault": the file has one
}

// newPile makes a folder with files, of which the first ones in the order of their hash have the
// faults.
func newPile(w *world.World, name string, files int, with []seedFault) *pile {
	w.T.Helper()
	t := w.T
	p := &pile{
		t: t, home: filepath.Join(w.Dir, name+"-home"), dir: filepath.Join(w.Dir, name),
		seeds: filepath.Join(w.Dir, name+"-seeds"), want: map[string]string{},
	}
	for _, dir := range []string{p.dir, p.seeds} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	good := w.Stamp(w.Issuers[0], name, world.SmallPDF(1))
	picture, err := pdfstamp.BarcodePNG(string(w.Download(w.Issuers[0], good.ID, "payload")), 6)
	if err != nil {
		t.Fatal(err)
	}
	pictures := world.Path("scanner/raster/testdata")
	templates := []struct {
		ext, verdict string
		data         []byte
	}{
		{"pdf", "valid", good.PDF},
		{"png", "valid", picture},
		{"heic", "no_symbol", world.ReadFile(t, filepath.Join(pictures, "color.heic"))},
		{"avif", "no_symbol", world.ReadFile(t, filepath.Join(pictures, "color.avif"))},
		{"pdf", "not_found", bytes.Replace(good.PDF, []byte("Paper number 1"),
			[]byte("Paper number 9"), 1)},
		{"pdf", "no_symbol", world.SmallPDF(2)},
		{"jpg", "damaged", picture[:100]},
	}
	every := files / len(with)
	for i := range files {
		tmpl := templates[i%len(templates)]
		name := fmt.Sprintf("%04d", i)
		if f := i / every; i%every == every/2 && f < len(with) {
			for _, tmpl = range templates {
				if tmpl.ext == with[f].ext {
					break
				}
			}
			name += fmt.Sprintf("-%s-%s", with[f].part, with[f].fault)
			tmpl.verdict = "fault"
			world.WriteFile(t, filepath.Join(p.seeds, with[f].part+"@"+name+"."+tmpl.ext+".always"),
				[]byte(with[f].fault))
		}
		world.WriteFile(t, filepath.Join(p.dir, name+"."+tmpl.ext), tmpl.data)
		p.want[name+"."+tmpl.ext] = tmpl.verdict
	}
	if out, err := exec.Command(world.Program(t, "tcode-scan"), "--home", p.home, "enrol",
		"--gateway", w.URL()).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return p
}

// An outcome is what a program says about one file, in the words of verify or watch.
type outcome struct {
	File, Verdict, Outcome, Reason string
	Error                          struct{ Code, Message string }
	Findings                       []struct{ Verdict string } // of watch
}

// said returns the verdict, and why there is none.
func (o outcome) said() (verdict, why string) {
	switch {
	case o.Error.Code != "":
		return o.Error.Code, o.Error.Message
	case len(o.Findings) > 0:
		return o.Findings[0].Verdict, ""
	case o.Outcome != "":
		return o.Outcome, o.Reason
	}
	return o.Verdict, ""
}

// command returns a run of the seeded scanner.
func (p *pile) command(args ...string) *exec.Cmd {
	p.t.Helper()
	cmd := exec.Command(containtest.Program(p.t, "tcode-scan"), append([]string{"--home", p.home, "--json", "--log-level", "error"}, args...)...)
	cmd.Env = append(os.Environ(), "TCODE_SEED="+p.seeds)
	return cmd
}

// run runs the seeded scanner, and returns one outcome for each line.
func (p *pile) run(args ...string) (all []outcome, code int, stderr string) {
	p.t.Helper()
	cmd := p.command(append([]string{"--document-time", "5s"}, args...)...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var o outcome
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			p.t.Errorf("%q: %v", lines.Text(), err)
		}
		all = append(all, o)
	}
	return all, cmd.ProcessState.ExitCode(), errs.String()
}

// check compares all outcomes with what is right: each file once.
func (p *pile) check(all []outcome) {
	p.t.Helper()
	right, named := 0, 0
	seen := map[string]bool{}
	for _, o := range all {
		name := filepath.Base(o.File)
		got, why := o.said()
		if got == "waiting" { // a process that ends still has the file open: another answer follows
			continue
		}
		if seen[name] {
			p.t.Errorf("%s: a second answer, %s", name, got)
		}
		seen[name] = true
		switch want := p.want[name]; {
		case want == "fault":
			if why == "" {
				p.t.Errorf("%s: %s, want its fault", name, got)
				continue
			}
			named++
			p.t.Logf("%s: %s: %s", name, got, why)
		case got == want || want == "damaged" && got == "unreadable" && why != "":
			right++
		default:
			p.t.Errorf("%s: %s %s, want %s", name, got, why, want)
		}
	}
	if len(seen) != len(p.want) {
		p.t.Errorf("answers about %d files of %d", len(seen), len(p.want))
	}
	p.t.Logf("%d files: %d right, %d with a fault, which the answer names", len(p.want), right, named)
}

// sized returns the number of files and their faults: few in every run, 1,000 with 50 for TCODE_FAULTY_FILES=1000.
func sized(t *testing.T, few []seedFault) (files int, with []seedFault) {
	files = world.Count(t, "TCODE_FAULTY_FILES", 3*len(few))
	if files < 1000 {
		return files, few
	}
	for all := seedFaults(); len(with) < files/20; {
		with = append(with, all[len(with)%len(all)])
	}
	return files, with
}

// TestFaultyFilesVerified: a panic, a hang, an exit or an endless allocation of a part of the program costs
// the file that has it. Its answer says so, and all others are right.
func TestFaultyFilesVerified(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	files, with := sized(t, fewFaults())
	p := newPile(w, "verified", files, with)
	all, code, stderr := p.run("verify", p.dir)
	p.check(all)
	if sum := fmt.Sprintf("%d documents: ", files); code != 3 || !strings.Contains(stderr, sum) {
		t.Errorf("exit code %d, want 3 and the sum\n%s", code, stderr)
	}
}

// TestFaultyFilesWatched is the same for watch. A file that ends the process twice is set aside.
func TestFaultyFilesWatched(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	few := []seedFault{
		{"page", "exit", "pdf"},
		{"page", "stack", "png"},
		{"answer", "memory", "pdf"},
		{"child-raster-pdfium", "panic", "pdf"},
		{"child-raster-picture", "hang", "png"},
		{"child-raster-heic", "exit", "heic"},
		{"page-answer", "panic", "png"},
		{"record", "exit", "pdf"},
		{"answer", "panic", "pdf"},
	}
	files, with := sized(t, few)
	if len(with) > len(few) {
		with = append(few, with[len(few):]...)
		for i := range with {
			if with[i].part == "child-raster" { // the engine is PDFium
				with[i].part = "child-raster-pdfium"
			}
		}
	}
	p := newPile(w, "watched", files, with)
	sorted := filepath.Join(w.Dir, "sorted")
	all, code, said := p.run("--engine", "pdfium",
		"watch", "--once", "--settle", "100ms", "--move", sorted, p.dir)
	if code != 3 || !strings.Contains(said, " set aside") {
		t.Errorf("exit code %d\n%s", code, said)
	}
	p.check(all)
	ends := 0
	for _, f := range with {
		ending := slices.Contains([]string{"exit", "stack", "memory"}, f.fault)
		if ending && !strings.HasPrefix(f.part, "child-") {
			ends++
		}
	}
	if aside, err := os.ReadDir(filepath.Join(sorted, "set-aside")); err != nil || len(aside) != ends {
		t.Errorf("set aside: %v, %v, want %d", aside, err, ends)
	}
	if n := strings.Count(said, "another one goes on"); n != 2*ends {
		t.Errorf("the process ended %d times, want 2 for each of %d files", n, ends)
	}
	// Each stamp is on record once: what was set aside, or failed, has no verdict.
	out, err := exec.Command(world.Program(t, "tcode-scan"), "--home", p.home, "--json", "history",
		"--limit", "2000").Output()
	if err != nil {
		t.Fatal(err)
	}
	scans := map[string]int{}
	for line := range bytes.Lines(out) {
		var scan struct{ File string }
		if err := json.Unmarshal(line, &scan); err != nil {
			t.Fatal(err)
		}
		scans[filepath.Base(scan.File)]++
	}
	for name, want := range p.want {
		n := 0
		if want == "valid" || want == "not_found" {
			n = 1
		}
		if scans[name] != n {
			t.Errorf("%s: %d scans, want %d", name, scans[name], n)
		}
	}
}
