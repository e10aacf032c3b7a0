package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/cache"
	"tcode/offline/host/openfile"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/sync/audit"
	"tcode/sync/outbox"
)

// evidenceFlags name the input of audit and report. These commands write
// nothing to it, and need no device key.
type evidenceFlags struct {
	From  string `arg:"" optional:"" help:"A home folder, a copy of one, or an outbox file, even a damaged one that was set aside. Default: the folder of --home." placeholder:"PATH" type:"path"`
	Trust string `help:"Take the gateway's keys from this trust export file instead of trust.db in the folder of the history." placeholder:"FILE" type:"path"`
	Root  string `help:"Fingerprint that the gateway's trust root must have, from paper or from the gateway's operator. Without it the root is the one that the scanner has pinned." placeholder:"FINGERPRINT" env:"TCODE_AUDIT_ROOT"`
}

// evidence is an open history with its receipts.
type evidence struct {
	outbox      *outbox.Evidence
	audit       *audit.Audit
	fingerprint trust.Fingerprint
	keys        []audit.Key
}

func (e *evidence) Close() error { return e.outbox.Close() }

// open reads the history, the keys and all receipts.
func (f *evidenceFlags) open(ctx context.Context, a *app) (_ *evidence, err error) {
	path := f.From
	if path == "" {
		if path, err = a.home(); err != nil {
			return nil, err
		}
	}
	file, home := path, filepath.Dir(path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, cli.Exit(cli.CodeUnreadable, fmt.Errorf("no scan history there: %w", err))
	}
	var aside []string
	if info.IsDir() {
		file, home = filepath.Join(path, "outbox.db"), path
		if aside, err = filepath.Glob(filepath.Join(globQuote(path), "outbox.damaged-*.db")); err != nil {
			return nil, err
		}
	}
	e := &evidence{}
	if err := f.pinned(ctx, home, e); err != nil {
		return nil, cli.Exit(cli.CodeUnreadable, err)
	}
	e.audit = audit.New(e.keys)
	if e.outbox, err = outbox.OpenEvidence(ctx, file); err != nil {
		return nil, cli.Exit(cli.CodeUnreadable, err)
	}
	if err := e.collect(ctx, a, aside); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// collect takes the receipts of the history, then those of damaged files.
func (e *evidence) collect(ctx context.Context, a *app, aside []string) error {
	if err := e.audit.Collect(ctx, e.outbox); err != nil {
		return err
	}
	for _, name := range aside {
		old, err := outbox.OpenEvidence(ctx, name)
		if err != nil {
			fmt.Fprintf(a.std.Err, "tcode-scan: nothing is read of %s: %v\n", cli.Printable(filepath.Base(name)), err)
			continue
		}
		if err := errors.Join(e.audit.Collect(ctx, old), old.Close()); err != nil {
			return err
		}
	}
	return nil
}

// pinned returns the online keys of the export file, or of a copy of the trust
// store in the folder. Without either there are none.
func (f *evidenceFlags) pinned(ctx context.Context, home string, e *evidence) error {
	roots, err := f.roots(ctx, home)
	if err != nil || len(roots) == 0 {
		return err
	}
	if e.fingerprint, e.keys, err = audit.Keys(roots); err != nil {
		return err
	}
	if f.Root == "" {
		return nil
	}
	want, err := trust.ParseFingerprint(f.Root)
	if err != nil {
		return cli.Usage("--root: %v", err)
	}
	if want != e.fingerprint {
		return fmt.Errorf("the trust root there is %s, not %s", e.fingerprint, want)
	}
	return nil
}

func (f *evidenceFlags) roots(ctx context.Context, home string) ([][]byte, error) {
	if f.Trust != "" {
		file, err := openfile.Open(ctx, f.Trust)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		update, _, err := trustbook.ReadExport(file)
		return update.Roots, err
	}
	store, err := cache.OpenCopy(ctx, filepath.Join(home, "trust.db"))
	if err != nil {
		return nil, err
	}
	snapshot, err := store.Snapshot(ctx)
	if err == nil && snapshot.State() != nil {
		return slices.Clone(snapshot.State().Roots), store.Close()
	}
	return nil, errors.Join(err, store.Close())
}

// globQuote quotes a folder's name for [filepath.Glob].
func globQuote(name string) string {
	var quoted []rune
	for _, r := range name {
		if r == '*' || r == '?' || r == '[' {
			quoted = append(quoted, '[', r, ']')
			continue
		}
		quoted = append(quoted, r)
	}
	return string(quoted)
}
