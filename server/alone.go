package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"tcode/server/platform/durable"
)

// servingName is a file in the data folder that a serving gateway holds, if the rows are there, too.
const servingName = "serving"

// ErrServed means that another gateway serves the data folder.
var ErrServed = errors.New("another gateway serves this data folder")

// holdFolder makes this process the only gateway that serves the data folder, unless the
// rows are in PostgreSQL. SQLite is safe with several processes, and operators' commands
// use it while a gateway serves; but several gateways would publish, send mails and keep limits
// each for itself, and wait for each other's writes.
func (g *Gateway) holdFolder(ctx context.Context) (release func() error, err error) {
	if g.c.DatabaseURL != "" {
		return func() error { return nil }, nil
	}
	release, err = durable.Hold(filepath.Join(g.c.Data, servingName), g.c.Now())
	var held *durable.HeldError
	switch {
	case errors.As(err, &held):
		return nil, fmt.Errorf("%s: %w: %w. A folder with SQLite has one gateway; end that one first, or use PostgreSQL for several (--database-url). Other commands work meanwhile", g.c.Data, ErrServed, held)
	case errors.Is(err, errors.ErrUnsupported):
		g.c.Log.WarnContext(ctx, "the file system of the data folder has no locks, so a second gateway on it is not refused", slog.String("data", g.c.Data), slog.Any("err", err))
		return func() error { return nil }, nil
	}
	return release, err
}
