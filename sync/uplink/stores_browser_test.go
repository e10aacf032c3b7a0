//go:build js

package uplink_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"tcode/offline/host/browserstore"
	"tcode/offline/host/idb"
	"tcode/offline/host/journal"
	"tcode/sync/outbox"
)

func init() {
	stores["browser"] = func(*testing.T) place {
		name := fmt.Sprintf("model %d", time.Now().UnixNano())
		next := new([]journal.Fault)
		return place{
			open: func(ctx context.Context) (queue, error) {
				j, report, err := browserstore.Open(ctx, name, idb.Options{})
				if err != nil {
					return nil, err
				}
				if report.Count() != 2 {
					return nil, errors.Join(errors.New(report.String()), j.Close())
				}
				return outbox.OpenBook(ctx, &faulty{Journal: j, next: next})
			},
			fail: func(faults ...journal.Fault) { *next = faults },
		}
	}
}

// faulty is a journal whose commits fail on order, as those of a journal.Disk do.
type faulty struct {
	journal.Journal
	next   *[]journal.Fault
	broken bool
}

var errFault = errors.New("prepared fault of a commit")

func (f *faulty) Commit(ctx context.Context, changes map[string][]byte) error {
	if f.broken {
		return journal.ErrBroken
	}
	fault := journal.NoFault
	if len(*f.next) > 0 {
		fault, *f.next = (*f.next)[0], (*f.next)[1:]
	}
	switch fault {
	case journal.Full:
		return journal.ErrFull
	case journal.FailBefore:
		f.broken = true
		return errFault
	}
	err := f.Journal.Commit(ctx, changes)
	if fault == journal.FailAfter {
		f.broken = true
		err = errors.Join(errFault, err)
	}
	return err
}
