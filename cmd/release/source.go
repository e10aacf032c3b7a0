package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
)

// A source is the checkout that a release is made from.
type source struct {
	top     string // folder of the module
	version string // such as v1.2.0
	commit  string
	at      time.Time // of the commit
	changed bool      // there are changes that are not in the commit
}

// readSource reads the checkout around the current folder. version, if it is
// empty, is the tag of the commit, or else a version that Go would give to a
// commit without a tag.
func readSource(ctx context.Context, version string) (source, error) {
	var s source
	var err error
	if s.top, err = moduleFolder(ctx); err != nil {
		return s, err
	}
	shown, err := git(ctx, s.top, "show", "-s", "--format=%H %ct", "HEAD")
	if err != nil {
		return s, err
	}
	var seconds int64
	if _, err := fmt.Sscan(shown, &s.commit, &seconds); err != nil {
		return s, fmt.Errorf("git show: %q: %w", shown, err)
	}
	s.at = time.Unix(seconds, 0).UTC()
	status, err := git(ctx, s.top, "status", "--porcelain")
	if err != nil {
		return s, err
	}
	s.changed = status != ""
	if s.version = version; s.version == "" {
		if s.version, err = git(ctx, s.top, "describe", "--tags", "--exact-match", "--match", "v*"); err != nil {
			s.version = "v0.0.0-" + s.at.Format("20060102150405") + "-" + s.commit[:12]
		}
	}
	if !strings.HasPrefix(s.version, "v") || strings.ContainsAny(s.version, " /\\_~") {
		return s, cli.Usage("version %q: want one such as v1.2.0", s.version)
	}
	if s.changed {
		s.version += "+changed"
	}
	return s, nil
}

// git runs git and returns its output.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// stamp is the linker's flag that names version, commit and date in a program.
func (s source) stamp() string {
	const about = "tcode/cmd/internal/about."
	return fmt.Sprintf("-X %sversion=%s -X %scommit=%s -X %sdate=%s", about, s.version, about, s.commit, about, s.at.Format(time.RFC3339))
}

// debian is the version as dpkg orders it: a version of a commit without a tag
// comes before the release.
func (s source) debian() string {
	v := strings.Replace(strings.TrimPrefix(s.version, "v"), "-", "~", 1)
	return strings.ReplaceAll(v, "-", ".")
}

// name is the name of the source's archive.
func (s source) name() string { return "tcode_" + s.version + "_source" }

// archive writes the files of the commit. Changes that are not committed are not in it.
func (s source) archive(ctx context.Context, w io.Writer) error {
	cmd := exec.CommandContext(ctx, "git", "archive", "--format=tar", "--prefix="+s.name()+"/", s.commit)
	var said bytes.Buffer
	z := gzip.NewWriter(w)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.top, z, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git archive: %w: %s", err, said.Bytes())
	}
	return z.Close()
}
