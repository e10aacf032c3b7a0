package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

// A batch stamps many files, one after another. It goes on after an error of one file, and
// ends early after an error that every other file would have as well.
type batch struct {
	*app
	c        *stampCmd
	cl       *client.ClientWithResponses
	progress *cli.Progress

	stamped, skipped, failed int
	code                     int // the exit code so far
}

// summary is the last line of a batch, for programs.
type summary struct {
	Stamped int `json:"stamped"`
	Skipped int `json:"skipped"` // their stamped files were there
	Failed  int `json:"failed"`
	Left    int `json:"left"` // not tried
}

// many stamps the files of a command that names several.
func (c *stampCmd) many(ctx context.Context, a *app) error {
	switch {
	case c.ExternalID != "":
		return cli.Usage("--external-id is of one file: your own ids must differ")
	case c.Output != "" && !isFolder(c.Output):
		return cli.Usage("-o %s: want an existing folder for the files", c.Output)
	}
	names := map[string]string{} // of outputs
	for _, file := range c.PDF {
		if file == "-" {
			return cli.Usage("standard input is one file: give it alone")
		}
		out := c.outputOf(file)
		if other, twice := names[out]; twice {
			return cli.Usage("%s and %s would both become %s", other, file, out)
		}
		names[out] = file
	}
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	b := &batch{app: a, c: c, cl: cl, progress: cli.NewProgress(a.std.Err, len(c.PDF), "files")}
	defer b.progress.Done()
	tried := 0
	for _, file := range c.PDF {
		var stop bool
		if stop, err = b.file(ctx, file); stop {
			break
		}
		tried++
		b.progress.Step()
	}
	b.progress.Done()
	s := summary{b.stamped, b.skipped, b.failed, len(c.PDF) - tried}
	if broken := a.out.Emit(s, func(w io.Writer) {
		fmt.Fprintf(w, "%d stamped, %d there already, %d failed, %d not tried\n", s.Stamped, s.Skipped, s.Failed, s.Left)
	}); broken != nil {
		return broken
	}
	if err != nil {
		return cli.WithHint(err, "The same command again goes on here: it makes no second stamp of a file within a day.")
	}
	if b.code != cli.CodeOK {
		return cli.Exit(b.code, nil)
	}
	return nil
}

// file stamps one file. stop reports that the others would fail as well, for the reason
// err.
func (b *batch) file(ctx context.Context, file string) (stop bool, err error) {
	out := b.c.outputOf(file)
	if _, err := os.Lstat(out); err == nil && !b.c.Force {
		b.skipped++
		return false, b.out.Emit(map[string]string{"file": out, "skipped": "exists"}, func(io.Writer) {
			fmt.Fprintf(b.progress.Through(b.std.Err), "– %s is there already\n", cli.Printable(out))
		})
	}
	st, err := b.stamp(ctx, file, out)
	if err == nil {
		b.stamped++
		return false, b.out.Emit(struct {
			api.TCodeStamp
			File string `json:"file"`
		}{st, out}, func(w io.Writer) {
			fmt.Fprintf(b.progress.Through(w), "✓ %s  %s\n", st.Reference, cli.Printable(out))
		})
	}
	if refused, ok := errors.AsType[*client.Error](err); ctx.Err() != nil || !ok && cli.Code(err) != cli.CodeUnreadable ||
		ok && (refused.Status == http.StatusUnauthorized || refused.Status == http.StatusForbidden || refused.Status >= 500 || refused.Code == "") {
		return true, err
	}
	b.failed++
	if code := cli.Code(err); b.code != cli.CodeUnreadable {
		b.code = code
	}
	if b.out.JSON {
		return false, b.out.Emit(problemLine{file, problemOf(err)}, nil)
	}
	fmt.Fprintf(b.progress.Through(b.std.Err), "✗ %s: %s\n", cli.Printable(file), cli.Printable(err.Error()))
	return false, nil
}

// patience are the waits before further tries of a request that comes too often, or while
// the gateway is not ready. Its Idempotency-Key makes them safe.
var patience = []time.Duration{2 * time.Second, 8 * time.Second, 30 * time.Second}

func (b *batch) stamp(ctx context.Context, file, out string) (st api.TCodeStamp, err error) {
	body, err := b.c.request(ctx, b.app, file)
	if err != nil {
		return st, err
	}
	key, err := resumeKey(body, file)
	if err != nil {
		return st, err
	}
	for _, wait := range append(patience, -1) {
		st, err = b.c.make(ctx, b.app, b.cl, body, &key, out)
		refused, ok := errors.AsType[*client.Error](err)
		if !ok || wait < 0 || refused.Status != http.StatusTooManyRequests && refused.Status != http.StatusServiceUnavailable {
			break
		}
		select {
		case <-ctx.Done():
			return st, ctx.Err()
		case <-time.After(wait):
		}
	}
	return st, err
}

// resumeKey returns the Idempotency-Key of a file: the same for the same file at the same
// place with the same flags, so that a second run gets the stamps of the first.
func resumeKey(body api.TCodeCreateStampRequest, file string) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "tcode stamp\n%d\n%s\n", len(path), path)
	h.Write(raw)
	return "tcode-" + hex.EncodeToString(h.Sum(nil)), nil
}

// outputOf returns the name of the stamped form of one of several files.
func (c *stampCmd) outputOf(file string) string {
	name := strings.TrimSuffix(file, filepath.Ext(file)) + "-stamped.pdf"
	if c.Output != "" {
		return filepath.Join(c.Output, filepath.Base(name))
	}
	return name
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
