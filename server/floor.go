package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"tcode/server/durable"
	"tcode/server/tenant"
)

// floorName is a file in the data folder: the highest version of trust documents
// that this gateway published. A database below it has been set back, by
// whatever means: what was published since is missing from it.
const floorName = "published-version"

// readFloor returns 0 if nothing was published yet.
func (g *Gateway) readFloor() (uint64, error) {
	path := filepath.Join(g.c.Data, floorName)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("last published version: %w", err)
	}
	version, err := strconv.ParseUint(string(bytes.TrimSpace(raw)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("last published version: %s holds no number: %w", path, err)
	}
	return version, nil
}

// floor is readFloor for a gateway that runs: what cannot be read now is not
// known to be higher.
func (g *Gateway) floor() uint64 {
	version, err := g.readFloor()
	if err != nil {
		g.c.Log.Warn("read published version", slog.Any("err", err))
	}
	return version
}

// raiseFloor notes a publication, unless another gateway noted a later one. That
// it fails, on a full disk for instance, is no reason to publish less: the file
// is for a later start.
func (g *Gateway) raiseFloor(version uint64) {
	if have, err := g.readFloor(); err == nil && have >= version {
		return
	}
	if err := durable.WriteFile(filepath.Join(g.c.Data, floorName), fmt.Appendf(nil, "%d\n", version)); err != nil {
		g.c.Log.Warn("note published version", slog.Any("err", err))
	}
}

// noticeSetBack marks a database that is older than what was published from this
// folder as restored, as if [Restore] had made it: an operator may have put back
// a copy of the file, or a dump of PostgreSQL.
func (g *Gateway) noticeSetBack(ctx context.Context) error {
	floor, err := g.readFloor()
	if err != nil {
		return err
	}
	head, err := g.db.Head(ctx)
	if err != nil || head.Version >= floor {
		return err
	}
	if restore, err := g.db.Restored(ctx); err != nil || restore != nil {
		return err
	}
	now := g.c.Now().UTC()
	audit := tenant.NewEntry(ctx, "", "database.set_back", "database", now).
		With("version", fmt.Sprint(head.Version)).With("published", fmt.Sprint(floor))
	g.c.Log.ErrorContext(ctx, "the database is older than what was published from it",
		slog.Uint64("version", head.Version), slog.Uint64("published", floor), slog.Time("at", head.At.Truncate(time.Second)))
	return g.db.MarkRestored(ctx, head.At, now, audit)
}
