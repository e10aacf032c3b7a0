package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/openfile"
	"tcode/server"
	"tcode/server/backup"
)

type backupCmd struct {
	File   string `arg:"" help:"The file to write, a tar archive, or a folder, in which the file gets a name with the time. Keep it as private as the data folder." placeholder:"FILE" type:"path"`
	Keep   int    `help:"Number of backups with such names that stay in the folder, the new one included: older ones are removed once it is complete. 0, the default: all." default:"0" env:"TCODE_BACKUP_KEEP" placeholder:"N"`
	Force  bool   `short:"f" aliases:"replace" help:"Overwrite an older backup of that name, once the new one is complete."`
	Keyset bool   `name:"with-keyset" help:"Put the master keyset in: the file then holds every key. Otherwise keep the keyset in another place: no backup is of use without it."`
}

// A backupLine describes the content of a backup.
type backupLine struct {
	File         string    `json:"file"`
	CreatedAt    time.Time `json:"createdAt"`
	TrustVersion uint64    `json:"trustVersion"`
	Database     int64     `json:"databaseBytes"`
	Files        int       `json:"files"`
	Bytes        int64     `json:"fileBytes"`
	Keyset       bool      `json:"keyset"`
	Missing      []string  `json:"missing,omitempty"` // files that the database names and that do not exist
}

func backupLineOf(file string, m backup.Manifest, e backup.End) backupLine {
	return backupLine{file, m.CreatedAt, m.TrustVersion, m.DatabaseBytes, e.Files, e.Bytes, m.Keyset, e.Missing}
}

func (l backupLine) print(w io.Writer) {
	fmt.Fprintf(w, "%s: database of %d bytes, %d files of %d bytes, as of %s\n",
		l.File, l.Database, l.Files, l.Bytes, l.CreatedAt.Format(time.RFC3339))
}

// Run writes the backup.
func (b *backupCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	folder := ""
	if info, err := os.Stat(b.File); err == nil && info.IsDir() {
		folder, b.File = b.File, filepath.Join(b.File, time.Now().UTC().Format(backupName))
	}
	if b.Keep < 0 || b.Keep > 0 && folder == "" {
		return cli.Usage("--keep counts the backups in a folder: give a folder that exists, not a file")
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		bar := cli.NewByteProgress(std.Err)
		m, e, err := g.Backup(ctx, b.File, server.BackupOptions{Replace: b.Force, Keyset: b.Keyset, Progress: bar.At})
		bar.Done()
		if errors.Is(err, backup.ErrExists) {
			return cli.Usage("%w: choose another file, or overwrite it with --force", err)
		}
		if err != nil {
			return err
		}
		if err := out.Emit(backupLineOf(b.File, m, e), backupLineOf(b.File, m, e).print); err != nil {
			return err
		}
		if err := g.Record(ctx, server.ActionBackup, "bytes", strconv.FormatInt(e.Bytes, 10), "missing", strconv.Itoa(len(e.Missing))); err != nil {
			fmt.Fprintf(std.Err, "The backup is good, but the audit log does not name it: %v\n", err)
		}
		if !m.Keyset {
			fmt.Fprintln(std.Err, "The master keyset is not in it: keep that apart, because nothing opens without it.")
		}
		if len(e.Missing) > 0 {
			return fmt.Errorf("the backup is complete except for %d files that are missing or damaged: see tcode-gateway fsck", len(e.Missing))
		}
		if b.Keep > 0 {
			return removeOld(folder, filepath.Base(b.File), b.Keep)
		}
		return nil
	})
}

// backupName is the name of a backup in a folder, a layout of time.
const backupName = "tcode-20060102T150405Z.tar"

// removeOld removes the oldest backups in a folder, by their names, so that keep stay. made, which is
// new, stays whatever its name: the clock may have been set back.
func removeOld(folder, made string, keep int) error {
	entries, err := os.ReadDir(folder) // by name, which is by time
	if err != nil {
		return err
	}
	var old []string
	for _, e := range entries {
		if _, err := time.Parse(backupName, e.Name()); err == nil && e.Name() != made && e.Type().IsRegular() {
			old = append(old, e.Name())
		}
	}
	for _, name := range old[:max(0, len(old)-keep+1)] {
		err = errors.Join(err, os.Remove(filepath.Join(folder, name)))
	}
	return err
}

type restoreCmd struct {
	File   string `arg:"" help:"The backup. It is restored into the folder of --data, which must be new or empty; of a gateway on PostgreSQL also into the new, empty database of --database-url; and its files into the new store of --blob-url, if you give one." placeholder:"FILE" type:"path"`
	Keyset string `help:"File with the master keyset of that time, if the backup does not hold it." placeholder:"FILE" type:"path"`
}

// maxKeyset is longer than any keyset, in bytes.
const maxKeyset = 1 << 20

// Run restores the backup.
func (r *restoreCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	var keyset []byte
	if r.Keyset != "" {
		f, err := openfile.Open(ctx, r.Keyset)
		if err != nil {
			return cli.Exit(cli.CodeUnreadable, err)
		}
		defer f.Close()
		if keyset, err = io.ReadAll(io.LimitReader(f, maxKeyset)); err != nil {
			return cli.Exit(cli.CodeUnreadable, err)
		}
	}
	bar := cli.NewByteProgress(std.Err)
	m, e, err := server.Restore(ctx, c.config(std), r.File, keyset, bar.At)
	bar.Done()
	switch {
	case errors.Is(err, backup.ErrDamaged), errors.Is(err, backup.ErrUnreadable):
		return cli.Exit(cli.CodeUnreadable, err)
	case errors.Is(err, server.ErrWantsPostgres), errors.Is(err, server.ErrWantsSQLite):
		return cli.Usage("%w", err)
	case errors.Is(err, server.ErrNoKeyset):
		return fmt.Errorf("%w: give it with --keyset", err)
	case err != nil:
		return err
	}
	line := backupLineOf(r.File, m, e)
	if err := c.output(std).Emit(line, line.print); err != nil {
		return err
	}
	fmt.Fprintf(std.Err, `Restored into %s as of %s. What was revoked after that may be missing, so the gateway does
not serve yet. Next: fetch what scanners have (tcode-scan trust export FILE) and run
  tcode-gateway fsck --trust FILE --apply
`, c.Data, m.CreatedAt.Format(time.RFC3339))
	return nil
}
