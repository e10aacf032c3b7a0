package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/openfile"
	"tcode/server"
	"tcode/server/store"
)

type fsckCmd struct {
	Quick bool          `help:"Do not read every file and check every signature."`
	Trust []string      `help:"After a restore: trust documents newer than the backup, from any scanner (tcode-scan trust export FILE). They show later revocations. May be repeated, and be given again with others when the restore is confirmed." placeholder:"FILE" type:"path" sep:"none"`
	Apply bool          `help:"With --trust: again revoke, suspend and mark as compromised according to the documents."`
	Sweep bool          `help:"Remove files that no row names. Requests leave them if they are killed, or refused at their end as duplicates."`
	Age   time.Duration `name:"sweep-age" help:"With --sweep: only files this old. A document that is being stamped has files that no row names yet. Default: ${default}." default:"24h" placeholder:"DURATION"`
	Adopt bool          `name:"adopt-files" help:"First make the database name this store of files, after they were moved here. Run it while no gateway runs."`
	Since time.Time     `name:"uncovered-since" help:"After a restore: confirm it although no trust documents cover the span that begins then, as fsck prints it. Revocations in the span are lost until the documents of a scanner that has them are given." placeholder:"TIME"`
}

// A problemLine is one problem.
type problemLine struct {
	Kind    string `json:"kind"` // such as missing_file, status_entry, lost_revocation
	Subject string `json:"subject"`
	Detail  string `json:"detail"`
}

// fsckLine is the last line of a check.
type fsckLine struct {
	Stamps   int  `json:"stamps"`
	Files    int  `json:"files"`
	Orphans  int  `json:"orphans"` // files that no row names: harmless
	Swept    int  `json:"swept"`   // removed orphans and parts of files
	Problems int  `json:"problems"`
	Fixed    int  `json:"fixed"`
	Restored bool `json:"restored"` // the data comes from a backup, and publishing again was not confirmed yet
	Agreed   bool `json:"agreed"`   // it is now

	Uncovered *uncoveredLine `json:"uncovered,omitempty"`
}

// uncoveredLine is the span after a backup that no trust documents cover.
type uncoveredLine struct {
	Since        time.Time `json:"since"`
	Until        time.Time `json:"until"`
	AfterVersion uint64    `json:"afterVersion"`
	// In the 30 days before the backup:
	Stamps  int `json:"stampsBefore"`
	Revoked int `json:"revokedBefore"`
}

// Run checks. The exit code is 0 if there is no problem, 1 if there is one, and
// 3 if the check could not run.
func (f *fsckCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	o := server.FsckOptions{Quick: f.Quick, Apply: f.Apply, UncoveredSince: f.Since}
	if f.Apply && len(f.Trust) == 0 {
		return cli.Usage("--apply needs --trust")
	}
	if f.Sweep {
		o.Sweep = time.Now().Add(-f.Age)
	}
	for _, path := range f.Trust {
		file, err := openfile.Open(ctx, path)
		if err != nil {
			return cli.Exit(cli.CodeUnreadable, err)
		}
		defer file.Close()
		o.Trust = append(o.Trust, file)
	}
	c.adoptFiles = f.Adopt
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		r, err := g.Fsck(ctx, o, func(p store.Problem) {
			line := problemLine{p.Kind, p.Subject, p.Detail}
			out.Emit(line, func(w io.Writer) { fmt.Fprintf(w, "%s %s: %s\n", line.Kind, line.Subject, line.Detail) })
		})
		switch {
		case errors.Is(err, server.ErrNotRestored), errors.Is(err, server.ErrConfirmed):
			return cli.Exit(cli.CodeUsage, err)
		case errors.Is(err, server.ErrOldTrust):
			return cli.WithHint(cli.Exit(cli.CodeUnreadable, err), "Take them from a scanner that asked the gateway after the backup was made.")
		case err != nil:
			return cli.Exit(cli.CodeUnreadable, err)
		}
		line := fsckLine{r.Stamps, r.Files, r.Orphans, r.Swept, r.Problems, r.Fixed, r.Restored, r.Agreed, nil}
		if s := r.Span; s != nil {
			line.Uncovered = &uncoveredLine{s.From, s.Until, s.AfterVersion, s.Stamps, s.Revoked}
		}
		if err := out.Emit(line, line.print); err != nil {
			return err
		}
		if err := g.Record(ctx, server.ActionFsck, "problems", strconv.Itoa(r.Problems-r.Fixed)); err != nil {
			fmt.Fprintf(std.Err, "The audit log does not name this check: %v\n", err)
		}
		switch {
		case r.Restored && !r.Agreed:
			return notConfirmed(line)
		case r.Problems > r.Fixed:
			return cli.Exit(cli.CodeFailed, nil)
		}
		return nil
	})
}

func (l fsckLine) print(w io.Writer) {
	swept := ""
	if l.Swept > 0 {
		swept = fmt.Sprintf(" (%d removed)", l.Swept)
	}
	fmt.Fprintf(w, "%d stamps, %d files, %d files that nothing names%s, %d problems", l.Stamps, l.Files, l.Orphans, swept, l.Problems)
	if l.Fixed > 0 {
		fmt.Fprintf(w, ", %d of them repaired", l.Fixed)
	}
	fmt.Fprintln(w)
	if u := l.Uncovered; u != nil {
		fmt.Fprintf(w, "No trust documents cover %s to %s (%s), after version %d: what was stamped or revoked in it is unknown here.\n"+
			"In the 30 days before the backup %d stamps were made and %d revoked.\n",
			u.Since.Format(time.RFC3339), u.Until.Format(time.RFC3339), spanWords(u.Until.Sub(u.Since)), u.AfterVersion, u.Stamps, u.Revoked)
	}
	if l.Agreed {
		fmt.Fprintln(w, "The restore is confirmed: the gateway may serve and publish again.")
	}
}

// spanWords says how long a span is.
func spanWords(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
}

// notConfirmed says what confirms the restore.
func notConfirmed(l fsckLine) error {
	text := "the restore is not confirmed, so nothing is published. Give --trust FILE with --apply"
	if l.Uncovered != nil {
		text += fmt.Sprintf(", of a scanner that has later documents; or, if there is none, add --uncovered-since %s",
			l.Uncovered.Since.Format(time.RFC3339))
	}
	return errors.New(text)
}
