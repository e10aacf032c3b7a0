package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tcode/server/platform/keyring"
	"tcode/server/publish"
	"tcode/server/store"
)

var (
	// ErrNoGateway means that there is no gateway where one was expected. Only [Config.Init]
	// begins a new one: otherwise a misspelt or unmounted folder would become another issuer,
	// which no scanner trusts.
	ErrNoGateway = errors.New("there is no gateway")
	// ErrRemains means that parts of a gateway exist without its database. No gateway is begun
	// over them.
	ErrRemains = errors.New("the database of this gateway is missing")
	// ErrBegun means that [Init] was called for an existing gateway.
	ErrBegun = errors.New("there is a gateway already, and nothing was changed")
)

// Exists reports whether the folder data holds a gateway's database.
func Exists(data string) bool {
	_, err := os.Stat(filepath.Join(data, store.FileName))
	return err == nil
}

// Init begins a gateway in the folder or database of c, and nothing else: the error wraps
// [ErrBegun] if there is one. The caller must call Close.
func Init(ctx context.Context, c Config) (*Gateway, error) {
	c.Init = false
	g, err := Open(ctx, c)
	if err == nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", g.place(), ErrBegun), g.Close())
	}
	if !errors.Is(err, ErrNoGateway) {
		return nil, err
	}
	c.Init = true
	return Open(ctx, c)
}

// place names the database of the gateway for messages.
func (g *Gateway) place() string {
	if g.c.DatabaseURL != "" {
		return "the PostgreSQL database"
	}
	return g.c.Data
}

// checkFolder checks for parts of a gateway before anything is made.
func (g *Gateway) checkFolder() error {
	if g.c.DatabaseURL != "" || Exists(g.c.Data) {
		return nil
	}
	remains, err := g.remains()
	switch {
	case err != nil:
		return err
	case len(remains) > 0:
		return g.errRemains(remains)
	case !g.c.Init:
		return fmt.Errorf("%w in %s: %s is not there. Check --data, and whether its disk is mounted; to begin a new gateway, run \"tcode-gateway init\"",
			ErrNoGateway, g.c.Data, store.FileName)
	}
	return nil
}

// checkRows checks whether the opened database is a gateway's.
func (g *Gateway) checkRows(ctx context.Context) error {
	roots, err := g.db.Roots(ctx)
	if err != nil || len(roots) > 0 {
		return err
	}
	remains, err := g.remains()
	if err != nil {
		return err
	}
	if g.c.BlobURL != "" { // a note of a publication is a gateway's
		if floor, _, err := g.sharedFloor(ctx); err != nil {
			return err
		} else if floor != (publish.Watermark{}) {
			remains = append([]string{floorName + " in " + g.files.Place()}, remains...)
		}
	}
	if len(remains) > 0 && remains[0] != keyring.FileName { // an interrupted beginning also has a keyset, and an operator may put one there first
		return g.errRemains(remains)
	}
	if g.c.Init {
		return nil
	}
	return fmt.Errorf("%w in %s: it holds no trust root. To begin a new gateway, or to complete an interrupted beginning, run \"tcode-gateway init\"", ErrNoGateway, g.place())
}

// remains returns the parts of a gateway in the data folder, without its database.
func (g *Gateway) remains() (names []string, err error) {
	for _, name := range []string{floorName, keyring.FileName} {
		if _, err := os.Lstat(filepath.Join(g.c.Data, name)); err == nil {
			names = append(names, name)
		}
	}
	empty, err := isEmpty(filepath.Join(g.c.Data, "files"))
	if err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if !empty {
		names = append([]string{"files"}, names...)
	}
	return names, nil
}

func (g *Gateway) errRemains(names []string) error {
	missing := "there is no " + store.FileName
	switch {
	case g.c.DatabaseURL != "":
		missing = "the PostgreSQL database holds no trust root"
	case Exists(g.c.Data):
		missing = store.FileName + " holds no trust root"
	}
	return fmt.Errorf("%w: %s holds %s, and %s. Put the database back, or restore a backup into another folder (tcode-gateway restore): "+
		"a new database would be another issuer, which no scanner trusts. To begin one anyway, use an empty folder",
		ErrRemains, g.c.Data, strings.Join(names, ", "), missing)
}
