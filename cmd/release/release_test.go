package main

//race:off it packs whole programs

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/about"
	"tcode/cmd/internal/pack"
)

// made makes the files of a release of three targets. Its programs are all this
// test, which has the information of a program of the project in its file.
func made(t *testing.T) *release {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &release{
		source: source{top: filepath.Join("..", ".."), version: "v1.2.0-rc.1", commit: strings.Repeat("ab", 20), at: time.Date(2026, 11, 28, 4, 2, 49, 0, time.UTC)},
		out:    t.TempDir(), work: t.TempDir(), told: io.Discard,
	}
	for _, p := range programs {
		r.manual = append(r.manual, pack.Entry{Name: "man/man1/" + p + ".1", Mode: 0o644, Data: []byte(".TH x 1\n")}, pack.Entry{Name: "completion/bash/" + p, Mode: 0o644, Data: []byte("complete x\n")})
	}
	if err := os.WriteFile(filepath.Join(r.out, r.source.name()+".tar.gz"), []byte("source"), 0o600); err != nil {
		t.Fatal(err)
	}
	small := stripped(t, self)
	for _, target := range []target{targets[0], targets[2], mupdfTargets[0]} {
		if err := os.Mkdir(r.folder(target), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, p := range programs {
			if err := os.Link(small, filepath.Join(r.folder(target), target.exe(p))); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.pack(target); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.sums(); err != nil {
		t.Fatal(err)
	}
	return r
}

// stripped is a small copy of a program: holes in place of everything behind the first MiB
// would be no program, so it is linked again without symbols where objcopy is here.
func stripped(t *testing.T, self string) string {
	t.Helper()
	small := filepath.Join(t.TempDir(), "program")
	if err := exec.Command("strip", "-o", small, self).Run(); err == nil {
		return small
	}
	return self
}

// TestRelease: archives have programs, licences, manual pages and documents; bills of materials name what the files
// say of themselves; checksums agree.
func TestRelease(t *testing.T) {
	t.Parallel()
	r := made(t)
	entries, err := os.ReadDir(r.out)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{
		"SHA256SUMS", "tcode-gateway_1.2.0~rc.1_amd64.deb", "tcode_1.2.0~rc.1_amd64.deb", "tcode_v1.2.0-rc.1_linux_amd64.cdx.json", "tcode_v1.2.0-rc.1_linux_amd64.tar.gz",
		"tcode_v1.2.0-rc.1_linux_amd64_mupdf.cdx.json", "tcode_v1.2.0-rc.1_linux_amd64_mupdf.tar.gz",
		"tcode_v1.2.0-rc.1_source.tar.gz", "tcode_v1.2.0-rc.1_windows_amd64.cdx.json", "tcode_v1.2.0-rc.1_windows_amd64.zip",
	}
	if !slices.Equal(names, want) {
		t.Errorf("files %q, want %q", names, want)
	}
	sums, err := os.ReadFile(filepath.Join(r.out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range want[1:] {
		data, err := os.ReadFile(filepath.Join(r.out, name))
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name); err != nil || !strings.Contains(string(sums), line) {
			t.Errorf("%s: %v; SHA256SUMS has no line %s", name, err, line)
		}
	}
	inside := []string{"CHANGELOG.md", "LICENCES.txt", "LICENSE", "README.md", "SBOM.cdx.json", "completion/bash/tcode-scan", "man/man1/tcode.1"}
	got := tarNames(t, filepath.Join(r.out, want[4]))
	for _, name := range append(inside, "tcode", "tcode-scan", "tcode-gateway", "tcode-demo") {
		if got["tcode_v1.2.0-rc.1_linux_amd64/"+name] == 0 {
			t.Errorf("the archive has no %s, or an empty one", name)
		}
	}
	z, err := zip.OpenReader(filepath.Join(r.out, want[9]))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, name := range append(inside, "tcode.exe", "tcode-scan.exe", "tcode-gateway.exe", "tcode-demo.exe") {
		if !slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == "tcode_v1.2.0-rc.1_windows_amd64/"+name }) {
			t.Errorf("the archive for Windows has no %s", name)
		}
	}
	for file, says := range map[string]string{
		want[4]: "**`tcode-gateway` of this archive does not stamp**",
		want[6]: "so `tcode-gateway` of this archive stamps",
	} {
		if text := tarText(t, filepath.Join(r.out, file), "README.md"); !strings.Contains(text, says) || !strings.Contains(text, "\n# TCode\n") {
			t.Errorf("the README in %s does not say %q", file, says)
		}
	}
	if text := tarText(t, filepath.Join(r.out, want[6]), "source.tar.gz"); text != "source" {
		t.Errorf("the archive with MuPDF brings the source %q", text)
	}
	checkLinks(t, got, filepath.Join(r.out, want[4]))
	checkTexts(t, r)
	checkBill(t, filepath.Join(r.out, want[3]))
	checkPackages(t, r)
}

// checkTexts: the licence texts are those in the checkout, and one that is missing there ends the release: the command may
// have been built before they were collected.
func checkTexts(t *testing.T, r *release) {
	t.Helper()
	texts, err := r.licences(targets[0], programs)
	if err != nil || bytes.Contains(texts, []byte("built without the text")) || !bytes.Contains(texts, []byte("GNU AFFERO GENERAL PUBLIC LICENSE")) {
		t.Errorf("%d bytes of licences, %v", len(texts), err)
	}
	other := *r
	other.source.top = t.TempDir()
	if _, err := other.licences(targets[0], programs); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a checkout without licence texts: %v", err)
	}
}

// eachFile calls do with the files of an archive.
func eachFile(t *testing.T, file string, do func(*tar.Header, io.Reader)) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for tr := tar.NewReader(z); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		do(h, tr)
	}
}

// tarNames returns the sizes of the files of an archive.
func tarNames(t *testing.T, file string) map[string]int64 {
	t.Helper()
	sizes := map[string]int64{}
	eachFile(t, file, func(h *tar.Header, _ io.Reader) { sizes[h.Name] = h.Size })
	return sizes
}

// tarText returns the text of a file in the folder of an archive.
func tarText(t *testing.T, file, name string) (text string) {
	t.Helper()
	eachFile(t, file, func(h *tar.Header, r io.Reader) {
		if _, in, _ := strings.Cut(h.Name, "/"); in == name {
			raw, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			text = string(raw)
		}
	})
	return text
}

// checkPackages unpacks the packages with dpkg, and installs them into a root of its own where that is possible.
func checkPackages(t *testing.T, r *release) {
	t.Helper()
	if !has(t, "dpkg-deb") {
		return
	}
	root := t.TempDir()
	for _, p := range debPackages {
		file := filepath.Join(r.out, p.name+"_1.2.0~rc.1_amd64.deb")
		if out, err := exec.Command("dpkg-deb", "--extract", file, root).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", p.name, err, out)
		}
	}
	for _, name := range []string{
		"usr/bin/tcode-gateway", "usr/bin/tcode-scan", "usr/bin/tcode", "usr/sbin/tcode-operator", "usr/lib/systemd/system/tcode-gateway.service", "usr/lib/systemd/system/tcode-gateway-backup.service",
		"usr/lib/systemd/system/tcode-gateway-backup.timer", "usr/lib/sysusers.d/tcode-gateway.conf",
		"etc/tcode/gateway.conf", "usr/share/man/man1/tcode-gateway.1.gz", "usr/share/man/man8/tcode-operator.8.gz", "usr/share/doc/tcode-gateway/" + "server/README.md", "usr/share/bash-completion/completions/tcode-scan", "usr/share/doc/tcode/copyright",
		"usr/share/doc/tcode-gateway/LICENCES.txt.gz", "usr/share/tcode-gateway/source.tar.gz",
	} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if info, err := os.Stat(filepath.Join(root, "etc/tcode/gateway.conf")); err == nil && info.Mode().Perm() != 0o640 {
		t.Errorf("gateway.conf has mode %v: it may hold a password", info.Mode())
	}
	for _, script := range []string{"postinst", "prerm", "postrm", "tcode-operator"} {
		if out, err := exec.Command("sh", "-n", filepath.Join("debian", script)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
	checkUnit(t, root)
	checkLife(t, r)
}

// TestVersions: dpkg orders a version of a commit before the release.
func TestVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"v1.2.0": "1.2.0", "v1.2.0-rc.1": "1.2.0~rc.1", "v0.0.0-20261128040249-0ba18ea1aaaa": "0.0.0~20261128040249.0ba18ea1aaaa", "v1.2.0+changed": "1.2.0+changed"} {
		if got := (source{version: version}).debian(); got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}

// TestCompilers: a build with MuPDF is made for the machines whose C compiler is here, of those that were asked for.
func TestCompilers(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	t.Setenv("CC", "")
	if able, missing := compilable(targets); len(able) != 0 || !slices.Equal(missing, mupdfTargets) {
		t.Errorf("without a compiler: %v, missing %v", able, missing)
	}
	for _, m := range mupdfTargets {
		write(t, filepath.Join(bin, m.compiler()), "#!/bin/sh\n", 0o755)
		if able, _ := compilable([]target{{os: m.os, arch: m.arch}, {os: "windows", arch: "amd64"}}); !slices.Equal(able, []target{m}) {
			t.Errorf("with %s: %v, want %v", m.compiler(), able, m)
		}
		if env := m.env(); !slices.Contains(env, "CC="+m.compiler()) {
			t.Errorf("%v builds with %q", m, env)
		}
	}
	if runtime.GOARCH == "amd64" { // the compiler for ARM is not that of this machine
		for script, want := range map[string]string{"#!/bin/sh\nexit 0\n": "", "#!/bin/sh\nexit 1\n": " -Wl,--defsym=__isoc23_strtol=strtol -Wl,--defsym=__isoc23_strtoul=strtoul"} {
			write(t, filepath.Join(bin, mupdfTargets[1].compiler()), script, 0o755)
			if got := mupdfTargets[1].forOldLibraries(t.Context()); got != want {
				t.Errorf("flags %q, want %q", got, want)
			}
		}
	}
	if able, missing := compilable([]target{{os: "windows", arch: "amd64"}}); len(able)+len(missing) != 0 {
		t.Errorf("for Windows: %v, missing %v", able, missing)
	}
}

// TestUnknownLicence: a module without a licence, and one whose licence no phrase names, end the collection.
func TestUnknownLicence(t *testing.T) {
	t.Parallel()
	found := map[string]*linkedModule{}
	for name, text := range map[string]string{"example.org/none": "", "example.org/odd": "You may look at this on Sundays.", "example.org/good": "Permission is hereby granted, free of charge, to any person\n// obtaining a copy"} {
		dir := t.TempDir()
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir, "LICENSE"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		found[name] = &linkedModule{path: name, dir: dir, folders: map[string]bool{dir: true}}
	}
	index, _, err := collect(found, filepath.Join("..", ".."))
	if err == nil || !strings.Contains(err.Error(), "example.org/none has no licence") || !strings.Contains(err.Error(), "example.org/odd: the licence") || strings.Contains(err.Error(), "good") {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(index, "example.org/good\tMIT\tLICENSE\t") {
		t.Errorf("index:\n%s", index)
	}
}

// TestLinked: the texts in the programs are those of the modules that they link, on systems without cgo and with it, also after
// a "go build" without the tags of a release. Programs without cgo link no code of others under the AGPL.
func TestLinked(t *testing.T) {
	t.Parallel()
	top := filepath.Join("..", "..")
	for _, target := range []target{targets[0], targets[2], mupdfTargets[0]} {
		found, err := linkedOn(t.Context(), top, target)
		if err != nil {
			t.Fatal(err)
		}
		agpl := false
		for path := range found {
			texts := about.Texts(path)
			if len(texts) == 0 {
				t.Errorf("%s: no licence of %s: run go generate ./cmd/internal/about", target, path)
			}
			for _, text := range texts {
				agpl = agpl || strings.Contains(text.Licence, "AGPL")
				if _, err := text.Read(); err != nil {
					t.Error(err)
				}
			}
		}
		if agpl != target.cgo {
			t.Errorf("%s: code of others under the AGPL: %v, want %v", target, agpl, target.cgo)
		}
		if len(found) < 90 || found["github.com/minio/minio-go/v7"] == nil {
			t.Errorf("%s: %d modules, or no client of S3", target, len(found))
		}
	}
	for _, c := range contained {
		if !slices.ContainsFunc(about.Texts(c.module), func(t about.Text) bool { return t.Name == c.name && t.Licence == c.licence }) {
			t.Errorf("no text of %s: run go generate ./cmd/internal/about", c.name)
		}
	}
}
