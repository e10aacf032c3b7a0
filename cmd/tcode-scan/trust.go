package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline"
	"tcode/offline/host/openfile"
	"tcode/offline/trust"
)

type trustRefreshCmd struct {
	Gateway string        `help:"Address of the gateway. Default: the one enrolled with." env:"TCODE_GATEWAY" placeholder:"URL"`
	Timeout time.Duration `name:"refresh-timeout" help:"Time limit of all requests together." default:"1m" env:"TCODE_REFRESH_TIMEOUT"`
}

func (c *trustRefreshCmd) Run(ctx context.Context, a *app) error {
	dev, err := a.openDeviceFor(ctx, offline.Policy{}, nil, c.Timeout)
	if err != nil {
		return err
	}
	defer dev.Close()
	report, err := dev.Refresh(ctx, c.Gateway)
	if err != nil {
		return offlineHint(err)
	}
	view := viewOf(report)
	return a.out.Emit(view, view.print)
}

type trustShowCmd struct{}

// trustView is the answer of `trust show`.
type trustView struct {
	ScannerID     string    `json:"scannerId"`
	Gateway       string    `json:"gateway,omitempty"`
	Fingerprint   string    `json:"fingerprint"`
	RootVersion   uint64    `json:"rootVersion"`
	RootExpires   time.Time `json:"rootExpires"`
	TrustVersion  uint64    `json:"trustVersion"`
	StatusAsOf    time.Time `json:"statusAsOf,omitzero"`
	BundleExpires time.Time `json:"bundleExpires,omitzero"`
	StatusExpires time.Time `json:"statusExpires,omitzero"`
	Issuers       int       `json:"issuers"`
	Keys          int       `json:"keys"`
	DocumentTypes int       `json:"documentTypes"`
	Shards        int       `json:"shards"`
	LastRefresh   time.Time `json:"lastRefresh,omitzero"`
	LastError     string    `json:"lastError,omitempty"` // of the last try, if it failed
}

func (c *trustShowCmd) Run(ctx context.Context, a *app) error {
	dev, err := a.reading(ctx)
	if err != nil {
		return err
	}
	defer dev.Close()
	enrolment, err := dev.Cache.Enrolment(ctx)
	if err != nil {
		return fmt.Errorf("%w: run tcode-scan enrol, or import a trust file", err)
	}
	snapshot, err := dev.Cache.Snapshot(ctx)
	if err != nil {
		return err
	}
	attempt, err := dev.Cache.LastAttempt(ctx)
	if err != nil {
		return err
	}
	view := trustView{
		ScannerID: dev.ScannerID(), Gateway: enrolment.Gateway, Fingerprint: enrolment.Fingerprint.String(),
		LastRefresh: attempt.Refreshed, LastError: attempt.Error,
	}
	view.fill(snapshot.State())
	return a.out.Emit(view, func(w io.Writer) { view.print(w, dev.Now()) })
}

func (v *trustView) fill(s *trust.State) {
	if s == nil {
		return
	}
	v.RootVersion, v.RootExpires = s.Root.Version, s.Root.Expires
	if s.Timestamp == nil {
		return
	}
	v.TrustVersion, v.StatusAsOf = s.Timestamp.Version, s.Timestamp.StatusAsOf
	v.BundleExpires, v.StatusExpires = s.Bundle.Expires, s.Status.Expires
	v.Issuers, v.Keys, v.DocumentTypes = len(s.Bundle.Tenants), len(s.Bundle.Keys), len(s.Bundle.DocumentTypes)
	v.Shards = s.Status.Shards
}

func (v trustView) print(w io.Writer, now time.Time) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-14s %s\n", label, trust.Escape(fmt.Sprintf(format, args...)))
	}
	line("scanner", "%s", v.ScannerID)
	if v.Gateway != "" {
		line("gateway", "%s", v.Gateway)
	}
	line("trust root", "%s", v.Fingerprint)
	line("root version", "%d, until %s", v.RootVersion, when(v.RootExpires))
	if v.StatusAsOf.IsZero() {
		line("documents", "none yet: run tcode-scan trust refresh")
	} else {
		line("status as of", "%s, %s (version %d)", when(v.StatusAsOf), ago(v.StatusAsOf, now), v.TrustVersion)
		line("valid until", "%s for issuers and keys, %s for status", when(v.BundleExpires), when(v.StatusExpires))
		line("holds", "%d issuers, %d keys, %d document types, %d status shards", v.Issuers, v.Keys, v.DocumentTypes, v.Shards)
	}
	line("last refresh", "%s", ago(v.LastRefresh, now))
	if v.LastError != "" {
		line("last try", "%s", v.LastError)
	}
}

type trustExportCmd struct {
	File  string `arg:"" help:"File to write, or - for standard output." placeholder:"FILE"`
	Force bool   `short:"f" help:"Overwrite the file, once the new one is complete."`
}

func (c *trustExportCmd) Run(ctx context.Context, a *app) error {
	dev, err := a.reading(ctx)
	if err != nil {
		return err
	}
	defer dev.Close()
	return a.writeFile(c.File, c.Force, func(w io.Writer) error { return dev.Cache.Export(ctx, w) })
}

type trustImportCmd struct {
	File string `arg:"" help:"File that trust export wrote, or - for standard input." placeholder:"FILE"`
	Root string `help:"Fingerprint the file's trust root must have, when this scanner is not enrolled yet." env:"TCODE_ROOT" placeholder:"FINGERPRINT"`
}

func (c *trustImportCmd) Run(ctx context.Context, a *app) error {
	var want *trust.Fingerprint
	if c.Root != "" {
		fp, err := trust.ParseFingerprint(c.Root)
		if err != nil {
			return cli.Usage("--root: %w", err)
		}
		want = &fp
	}
	from := a.std.In
	if c.File != stdin {
		f, err := openfile.Open(ctx, c.File)
		if err != nil {
			return cli.Exit(cli.CodeUnreadable, err)
		}
		defer f.Close()
		from = f
	}
	dev, err := a.openDevice(ctx, offline.Policy{}, nil)
	if err != nil {
		return err
	}
	defer dev.Close()
	changes, err := dev.Cache.Import(ctx, from, want)
	if err != nil {
		return err
	}
	view := refreshView{NewRoots: changes.Roots, Bundle: changes.Bundle, Status: changes.Status, Shards: changes.Shards, Undone: changes.Undone}
	if view.Shards == nil {
		view.Shards = []uint16{}
	}
	snapshot, err := dev.Cache.Snapshot(ctx)
	if err != nil {
		return err
	}
	if s := snapshot.State(); s != nil && s.Timestamp != nil {
		view.TrustVersion = s.Timestamp.Version
	}
	return a.out.Emit(view, view.print)
}
