package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tcode/server/platform/durable"
	"tcode/server/publish"
	"tcode/server/tenant"
)

// floorName is a file in the data folder: how far publication from this gateway has
// come, as "VERSION SINCE ROOT" of a [publish.Watermark]. A database below it has been
// set back, by whatever means: what was published since is missing from it.
const floorName = "published-version"

// readFloor returns the zero Mark if nothing was published yet.
func (g *Gateway) readFloor() (publish.Watermark, error) {
	path := filepath.Join(g.c.Data, floorName)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return publish.Watermark{}, nil
	}
	if err != nil {
		return publish.Watermark{}, fmt.Errorf("last published version: %w", err)
	}
	m := publish.Watermark{Since: 1, Root: 1}
	for i, word := range strings.Fields(string(raw)) {
		to := []*uint64{&m.Version, &m.Since, &m.Root}
		if i == len(to) {
			return publish.Watermark{}, fmt.Errorf("last published version: %s holds more than three numbers", path)
		}
		if *to[i], err = strconv.ParseUint(word, 10, 64); err != nil {
			return publish.Watermark{}, fmt.Errorf("last published version: %s holds no number: %w", path, err)
		}
	}
	if m.Version == 0 {
		return publish.Watermark{}, fmt.Errorf("last published version: %s holds no number", path)
	}
	return m, nil
}

// floor is readFloor for a gateway that runs: what cannot be read now is not
// known to be higher.
func (g *Gateway) floor() publish.Watermark {
	m, err := g.readFloor()
	if err != nil {
		g.c.Log.Warn("read published version", slog.Any("err", err))
	}
	return m
}

// raiseFloor notes a publication, unless another gateway noted a later one. That
// it fails, on a full disk for instance, is no reason to publish less: the file
// is for a later start.
func (g *Gateway) raiseFloor(m publish.Watermark) {
	if have, err := g.readFloor(); err == nil {
		if m = have.Join(m); m == have {
			return
		}
	}
	line := fmt.Appendf(nil, "%d %d %d\n", m.Version, m.Since, m.Root)
	if err := durable.WriteFile(filepath.Join(g.c.Data, floorName), line); err != nil {
		g.c.Log.Warn("note published version", slog.Any("err", err))
	}
}

// published reads what the database says of publications, and what was noted of them
// beside it.
func (g *Gateway) published(ctx context.Context) (head publish.Head, roots [][]byte, floor publish.Watermark, err error) {
	if floor, err = g.readFloor(); err != nil {
		return head, nil, floor, err
	}
	if head, err = g.db.Head(ctx); err != nil {
		return head, nil, floor, err
	}
	roots, err = g.db.Roots(ctx)
	return head, roots, floor, err
}

// noticeSetBack marks a database that is older than its last publication from this folder
// as restored, as [Restore] does: an operator may have put back a copy of the file, or a
// dump of PostgreSQL.
func (g *Gateway) noticeSetBack(ctx context.Context) error {
	head, roots, floor, err := g.published(ctx)
	if err != nil {
		return err
	}
	if err := publish.CheckRolledBack(head, roots, floor); !errors.Is(err, publish.ErrRolledBack) {
		return err
	}
	if restore, err := g.db.Restored(ctx); err != nil || restore != nil {
		return err
	}
	now := g.c.Now().UTC()
	audit := tenant.NewEntry(ctx, "", "database.set_back", "database", now).
		With("version", fmt.Sprint(head.Version)).With("published", fmt.Sprint(floor.Version)).
		With("root", fmt.Sprint(head.Root)).With("publishedRoot", fmt.Sprint(floor.Root))
	g.c.Log.ErrorContext(ctx, "the database is older than its last publication",
		slog.Uint64("version", head.Version), slog.Uint64("published", floor.Version),
		slog.Uint64("root", head.Root), slog.Uint64("publishedRoot", floor.Root), slog.Time("at", head.At.Truncate(time.Second)))
	return g.db.MarkRestored(ctx, head.At, now, audit)
}

// tellFolder logs a warning if every user of the machine may replace files in the data
// folder: database, keyset and files.
func (g *Gateway) tellFolder(ctx context.Context) {
	if open, err := durable.OthersWrite(g.c.Data); err == nil && open {
		g.c.Log.WarnContext(ctx, "every user of this machine may write to the data folder, and so replace the database and the keys: chmod 700 it",
			slog.String("data", g.c.Data))
	}
}

// checkAhead returns [publish.ErrAhead] with instructions.
func (g *Gateway) checkAhead(ctx context.Context) error {
	head, roots, floor, err := g.published(ctx)
	if err != nil {
		return err
	}
	return publish.CheckAhead(head, roots, floor, g.c.Now())
}
