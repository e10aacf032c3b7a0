//go:build js

package browserstore

import (
	"context"
	"errors"
	"fmt"

	"tcode/offline/host/idb"
	"tcode/offline/host/journal"
	"tcode/offline/host/logjournal"
	"tcode/offline/host/opfs"
	"tcode/offline/host/twofold"
	"tcode/offline/host/webapi"
)

// Open opens the journal of that name, and makes it if there is none. Report says in how many copies it is, and which one was
// rebuilt. The error is journal.ErrOwned if another worker or tab has it open; idb.Ask asks that one to close it. A copy of a
// later version of this program is not opened.
func Open(ctx context.Context, name string, options idb.Options) (journal.Journal, twofold.Report, error) {
	database := twofold.Copy{Name: "database"}
	database.Journal, database.Missing = idb.Open(ctx, name, options)
	if err := database.Missing; err != nil {
		database.Journal = nil
		if e, ok := errors.AsType[*webapi.Error](err); ctx.Err() != nil || !ok || e.Name == "VersionError" {
			return nil, twofold.Report{}, err
		}
	}
	log := twofold.Copy{Name: "log"}
	l, err := openLog(ctx, name)
	switch {
	case err == nil:
		log.Journal = l
	case ctx.Err() != nil || errors.Is(err, journal.ErrOwned) || errors.Is(err, logjournal.ErrNewer):
		return nil, twofold.Report{}, errors.Join(err, shut(database.Journal))
	case errors.Is(err, opfs.ErrUnsupported):
		log.Missing = fmt.Errorf("%w: %w", twofold.ErrNone, err)
	default:
		log.Missing = err
	}
	pair, report, err := twofold.Open(ctx, log, database)
	if err != nil {
		return nil, report, fmt.Errorf("open the journal %s: %w", name, err)
	}
	return pair, report, nil
}

func shut(j journal.Journal) error {
	if j == nil {
		return nil
	}
	return j.Close()
}

// openLog opens the two files of a log.
func openLog(ctx context.Context, name string) (*logjournal.Log, error) {
	a, err := opfs.Open(ctx, name+" log 0")
	if err != nil {
		return nil, err
	}
	b, err := opfs.Open(ctx, name+" log 1")
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return logjournal.Open(a, b)
}
