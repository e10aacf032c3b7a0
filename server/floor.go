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

	"tcode/server/platform/blob"
	"tcode/server/platform/durable"
	"tcode/server/publish"
	"tcode/server/tenant"
)

// floorName is a file in the data folder, or a note of the bucket with the files, so that all
// gateways of it share one: how far publication from here has come, as "VERSION SINCE ROOT"
// of a [publish.Watermark]. A database below it has been set back, by whatever means: what
// was published since is missing from it.
const floorName = "published-version"

// floorPatience bounds a request to the bucket for the floor while the gateway publishes.
const floorPatience = 10 * time.Second

// readFloor returns the zero Mark if nothing was published yet. With a bucket, the file of
// the folder counts as well: the gateway may have had its files there.
func (g *Gateway) readFloor(ctx context.Context) (publish.Watermark, error) {
	path := filepath.Join(g.c.Data, floorName)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		raw, err = nil, nil
	}
	if err != nil {
		return publish.Watermark{}, fmt.Errorf("last published version: %w", err)
	}
	m, err := parseFloor(path, raw)
	if err != nil || g.c.BlobURL == "" {
		return m, err
	}
	shared, _, err := g.sharedFloor(ctx)
	return m.Join(shared), err
}

// sharedFloor reads the note of the bucket.
func (g *Gateway) sharedFloor(ctx context.Context) (m publish.Watermark, version string, err error) {
	raw, version, err := g.files.Note(ctx, floorName)
	if err != nil {
		return m, "", fmt.Errorf("last published version: %w", err)
	}
	m, err = parseFloor(g.files.Place()+" "+floorName, raw)
	return m, version, err
}

// parseFloor reads the text of a floor; no text is the zero Mark.
func parseFloor(path string, raw []byte) (m publish.Watermark, err error) {
	if raw == nil {
		return m, nil
	}
	m = publish.Watermark{Since: 1, Root: 1}
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
	ctx, cancel := context.WithTimeout(context.Background(), floorPatience)
	defer cancel()
	m, err := g.readFloor(ctx)
	if err != nil {
		g.c.Log.Warn("read published version", slog.Any("err", err))
	}
	return m
}

// raiseFloor notes a publication, unless another gateway noted a later one. That
// it fails, on a full disk for instance, is no reason to publish less: the file
// is for a later start.
func (g *Gateway) raiseFloor(m publish.Watermark) {
	ctx, cancel := context.WithTimeout(context.Background(), floorPatience)
	defer cancel()
	raise := g.raiseOwn
	if g.c.BlobURL != "" {
		raise = g.raiseShared
	}
	if err := raise(ctx, m); err != nil {
		g.c.Log.Warn("note published version", slog.Any("err", err))
	}
}

func floorLine(m publish.Watermark) []byte {
	return fmt.Appendf(nil, "%d %d %d\n", m.Version, m.Since, m.Root)
}

// raiseOwn notes m in the data folder.
func (g *Gateway) raiseOwn(ctx context.Context, m publish.Watermark) error {
	if have, err := g.readFloor(ctx); err == nil {
		if m = have.Join(m); m == have {
			return nil
		}
	}
	return durable.WriteFile(filepath.Join(g.c.Data, floorName), floorLine(m))
}

// raiseShared notes m in the bucket, as often as other gateways change the note meanwhile.
func (g *Gateway) raiseShared(ctx context.Context, m publish.Watermark) error {
	for {
		have, version, err := g.sharedFloor(ctx)
		if err != nil {
			return err
		}
		next := have.Join(m)
		if next == have {
			return nil
		}
		if err := g.files.SetNote(ctx, floorName, floorLine(next), version); !errors.Is(err, blob.ErrChanged) {
			return err
		}
	}
}

// published reads what the database says of publications, and what was noted of them
// beside it.
func (g *Gateway) published(ctx context.Context) (head publish.Head, roots [][]byte, floor publish.Watermark, err error) {
	if floor, err = g.readFloor(ctx); err != nil {
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
