package testdata_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A broken reader is one of the readers with one change: the first
// occurrence of from becomes to.
type broken struct {
	area, file string
	name       string // the fault of the reader
	vector     string // that finds it
	from, to   string
}

// minBroken is the least number of broken readers.
const minBroken = 40

// runBroken runs one folder of readers after the other, each over one vector, all in
// one process.
const runBroken = `
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const { expected, jobs } = JSON.parse(readFileSync(0));
for (const { dir, area, folder, vector } of jobs) {
  let answer = {};
  try {
    const { classes } = await import(pathToFileURL(dir + '/run.mjs'));
    for await (const [, found] of classes(area, folder, vector)) answer = { failed: found !== expected[area][vector], found };
  } catch (e) {
    answer = { error: e.message };
  }
  console.log(JSON.stringify(answer));
}
`

// A job is a folder of readers to run.
type job struct {
	Dir    string `json:"dir"`
	Area   string `json:"area"`
	Folder string `json:"folder"` // of the vectors
	Vector string `json:"vector"`
}

// An answer says whether the vector fails, and the class that was found.
type answer struct {
	Failed       bool
	Found, Error string
}

// TestBrokenReaders breaks the readers, one place each: every broken one fails the
// vector that is named with it. For a new fault, run.mjs of a changed copy of the
// readers shows which vectors fail; if none does, a vector is missing.
func TestBrokenReaders(t *testing.T) {
	t.Parallel()
	sources := readers(t)
	all := append(append(append(brokenPayloads(), brokenFiles()...), brokenTrust()...), append(brokenVerdicts(), brokenSync()...)...)
	if len(all) < minBroken {
		t.Errorf("%d broken readers, want at least %d", len(all), minBroken)
	}
	var jobs []job
	for i, b := range all {
		if !strings.Contains(sources[b.file], b.from) {
			t.Fatalf("%s %s: %s does not have %q", b.area, b.name, b.file, b.from)
		}
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		writeReaders(t, dir, sources, b)
		vectors, err := filepath.Abs(filepath.Join("vectors", b.area))
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, job{dir, b.area, vectors, vectorFile(t, b)})
	}
	caught := 0
	for i, a := range runAll(t, jobs) {
		b := all[i]
		switch {
		case a.Error != "":
			t.Errorf("%s: a reader that %s does not run: %s", b.area, b.name, a.Error)
		case !a.Failed:
			t.Errorf("%s: a reader that %s passes %s", b.area, b.name, b.vector)
		default:
			caught++
			t.Logf("%s: a reader that %s fails %s: %.100s", b.area, b.name, b.vector, a.Found)
		}
	}
	t.Logf("%d of %d broken readers fail a vector", caught, len(all))
}

// vectorFile is the name of the file of b's vector.
func vectorFile(t *testing.T, b broken) string {
	t.Helper()
	for _, name := range []string{b.vector, b.vector + ".json"} {
		if _, ok := expected(t, b.area)[name]; ok {
			return name
		}
	}
	t.Fatalf("%s %s: there is no vector %s", b.area, b.name, b.vector)
	return ""
}

// writeReaders writes the sources to dir with the change of b.
func writeReaders(t *testing.T, dir string, sources map[string]string, b broken) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, source := range sources {
		if name == b.file {
			source = strings.Replace(source, b.from, b.to, 1)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// runAll returns the answer of each job.
func runAll(t *testing.T, jobs []job) []answer {
	t.Helper()
	script := filepath.Join(t.TempDir(), "broken.mjs")
	if err := os.WriteFile(script, []byte(runBroken), 0o600); err != nil {
		t.Fatal(err)
	}
	classes := map[string]map[string]string{}
	for area := range areas {
		classes[area] = expected(t, area)
	}
	input, err := json.Marshal(map[string]any{"expected": classes, "jobs": jobs})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node(t), script)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(jobs) {
		t.Fatalf("%d answers to %d jobs", len(lines), len(jobs))
	}
	all := make([]answer, len(jobs))
	for i, line := range lines {
		if err := json.Unmarshal([]byte(line), &all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
