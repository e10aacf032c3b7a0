package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"tcode/cmd/internal/cli"
	"tcode/offline/payload"
	"tcode/server"
	"tcode/server/fault"
	"tcode/server/issue/trustdoc"
	"tcode/server/privacy"
	"tcode/server/tenant"
)

type retentionShowCmd struct {
	Tenant string `arg:"" help:"The tenant." placeholder:"REF"`
}

// A retentionLine says how long a kind of data is kept. Absent days mean forever.
type retentionLine struct {
	Kind    string `json:"kind"`
	Days    *int   `json:"days"`
	Default *int   `json:"defaultDays"`
	Least   int    `json:"leastDays"`
	Most    int    `json:"mostDays"`
	Fixed   bool   `json:"fixed"`
	What    string `json:"description"`
}

// Run shows how long the tenant's data is kept.
func (r *retentionShowCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error { return showRetention(ctx, g, out, r.Tenant) })
}

func showRetention(ctx context.Context, g *server.Gateway, out cli.Output, reference string) error {
	set, err := g.Privacy.Retention(ctx, reference)
	if err != nil {
		return err
	}
	lines := linesOf(privacy.Rules(), func(r privacy.Rule) retentionLine {
		return retentionLine{string(r.Kind), daysOf(set.Days(r.Kind)), daysOf(r.Default), r.Least, r.Longest(), r.Fixed, r.What}
	})
	return cli.List(out, lines, "", []string{"kind", "days", "default", "what"}, func(l retentionLine) []string {
		return []string{l.Kind, inDays(l.Days), inDays(l.Default), l.What}
	})
}

// daysOf returns a time in days; nil: forever.
func daysOf(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

func inDays(n *int) string {
	if n == nil {
		return forever
	}
	return strconv.Itoa(*n)
}

// forever and byDefault are times that are no number.
const forever, byDefault = "forever", "default"

type retentionSetCmd struct {
	Tenant string   `arg:"" help:"The tenant." placeholder:"REF"`
	Times  []string `arg:"" help:"Kinds with their times: a number of days, forever, or default. Other kinds stay as they are." placeholder:"KIND=DAYS"`
}

// Run sets how long some of the tenant's data is kept.
func (r *retentionSetCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		set, err := g.Privacy.Retention(ctx, r.Tenant)
		if err != nil {
			return err
		}
		for _, t := range r.Times {
			kind, days, _ := strings.Cut(t, "=")
			k := privacy.Kind(kind)
			switch n, err := strconv.Atoi(days); {
			case days == byDefault:
				delete(set, k)
			case days == forever:
				set[k] = 0
			case err != nil || n < 1:
				return cli.Usage("%q: want a kind and its days, such as history=365, originals=%s or mails=%s", t, forever, byDefault)
			default:
				set[k] = n
			}
		}
		if err := g.Privacy.SetRetention(ctx, r.Tenant, tenant.ByOf(ctx), set); err != nil {
			return err
		}
		return showRetention(ctx, g, out, r.Tenant)
	})
}

type eraseCmd struct {
	Tenant  string   `help:"The tenant." required:"" placeholder:"REF"`
	Records []string `arg:"" help:"References or ids of Trust documents, or of stamps that belong to none." placeholder:"REFERENCE"`
	Reason  string   `help:"Why, for the audit log: asked (the person wants it), unneeded (the purpose is over), withdrawn (consent was), mistaken (the data should not have been taken) or obliged (by law)." enum:",asked,unneeded,withdrawn,mistaken,obliged" default:"" placeholder:"WORD"`
	Yes     bool     `help:"Erase: without it, the command only says what it would erase. It cannot be undone."`
}

// An eraseLine is a record that was erased, or would be.
type eraseLine struct {
	ID        string     `json:"id"`
	Subject   string     `json:"subject"`
	State     string     `json:"state"` // found, or the step of the erasure
	Requested *time.Time `json:"requestedAt"`
	Done      *time.Time `json:"doneAt"`
}

// Run erases the personal data of records, and does the work that a gateway would do.
func (e *eraseCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		var lines []eraseLine
		for _, name := range e.Records {
			of, id, err := findRecord(ctx, g, e.Tenant, name)
			if err != nil {
				return err
			}
			lines = append(lines, eraseLine{ID: id, Subject: string(of), State: "found"})
		}
		if e.Yes {
			if err := e.eraseAll(ctx, g, lines); err != nil {
				return err
			}
		}
		err := cli.List(out, lines, "", []string{"id", "subject", "state"}, func(l eraseLine) []string { return []string{l.ID, l.Subject, l.State} })
		switch {
		case err != nil:
		case !e.Yes:
			fmt.Fprintln(std.Err, "Nothing was erased: say --yes. Names, recipients, fields and files go forever; reference, hashes and status stay.")
		default:
			fmt.Fprintln(std.Err, "Backups that were made before keep the data. What is not done yet, such as files that were stored a few minutes ago, a running gateway does.")
		}
		return err
	})
}

// eraseAll erases records and waits for work that can be done now.
func (e *eraseCmd) eraseAll(ctx context.Context, g *server.Gateway, lines []eraseLine) error {
	for _, l := range lines {
		if _, err := g.Privacy.Erase(ctx, e.Tenant, tenant.ByOf(ctx), privacy.Order{Of: privacy.Subject(l.Subject), ID: l.ID, Why: privacy.Reason(e.Reason)}); err != nil {
			return err
		}
	}
	if _, err := g.Privacy.Work(ctx); err != nil {
		return err
	}
	for i, l := range lines {
		done, err := g.Privacy.Erasure(ctx, e.Tenant, l.ID)
		if err != nil {
			return err
		}
		lines[i].State, lines[i].Requested, lines[i].Done = string(done.Step), timeOf(done.Requested), timeOf(done.Done)
	}
	return nil
}

// findRecord finds a record of a tenant by its reference or id.
func findRecord(ctx context.Context, g *server.Gateway, tenantRef, name string) (of privacy.Subject, id string, err error) {
	if _, err := uuid.Parse(name); err == nil {
		d, err := g.Documents.Get(ctx, tenantRef, name)
		if err == nil {
			return privacy.Document, d.ID, nil
		}
		if !fault.Is(err, fault.NotFound) {
			return "", "", err
		}
		st, err := g.Stamps.Get(ctx, tenantRef, name)
		return privacy.Stamp, st.ID, err
	}
	prefix, ref, err := payload.ReadReference(name)
	switch {
	case err != nil:
		return "", "", cli.Usage("%s: want a reference, TRF-... or TCR-..., or an id", name)
	case prefix == payload.DocumentPrefix:
		id, err := g.Documents.IDOf(ctx, tenantRef, trustdoc.Reference(ref))
		return privacy.Document, id, err
	}
	id, err = g.Stamps.IDOf(ctx, tenantRef, ref)
	return privacy.Stamp, id, err
}

type tenantExportCmd struct {
	Reference string `arg:"" help:"The tenant." placeholder:"REF"`
	File      string `arg:"" help:"The ZIP archive to write. It holds personal data: keep it as private as the data folder." placeholder:"FILE" type:"path"`
	Force     bool   `short:"f" help:"Overwrite an older file of that name, once the new one is complete."`
}

// Run writes everything that a tenant has.
func (t *tenantExportCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) (err error) {
		if _, err := os.Stat(t.File); err == nil && !t.Force {
			return cli.Usage("%s: %w: choose another file, or overwrite it with --force", t.File, fs.ErrExist)
		}
		part, err := os.CreateTemp(filepath.Dir(t.File), ".export-*") // mode 0600
		if err != nil {
			return err
		}
		defer os.Remove(part.Name()) //nolint:errcheck // it has another name by then
		err = g.Privacy.Export(ctx, t.Reference, tenant.ByOf(ctx), part)
		if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
			return err
		}
		if err := os.Rename(part.Name(), t.File); err != nil {
			return err
		}
		info, err := os.Stat(t.File)
		if err != nil {
			return err
		}
		return out.Emit(map[string]any{"file": t.File, "bytes": info.Size()}, func(w io.Writer) { fmt.Fprintf(w, "%s: %d bytes\n", t.File, info.Size()) })
	})
}
