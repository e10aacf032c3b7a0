package privacy

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

const (
	// lookEvery is the interval of looking for erasures that another process has begun.
	lookEvery = 2 * time.Second
	// firstSweep is the time from the start of a gateway to its first sweep, and sweepEvery
	// the interval of the others.
	firstSweep, sweepEvery = time.Minute, time.Hour
	// waitForFiles is the time until an erasure whose files must stay looks again.
	waitForFiles = 15 * time.Second
	// waitAfterError is the time until an erasure that failed is tried again.
	waitAfterError = time.Minute
	// atOnce is the number of erasures, or of files, of one look-up.
	atOnce = 100
)

// Run erases and sweeps until ctx ends. What fails is logged and tried again.
func (s *Service) Run(ctx context.Context) error {
	look, sweep := time.NewTicker(lookEvery), time.NewTimer(firstSweep)
	defer look.Stop()
	defer sweep.Stop()
	for {
		if _, err := s.Work(ctx); err != nil {
			s.logged(ctx, "erase", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		case <-look.C:
		case <-sweep.C:
			s.logged(ctx, "sweep old data", s.Sweep(ctx))
			sweep.Reset(sweepEvery)
		}
	}
}

func (s *Service) logged(ctx context.Context, what string, err error) {
	if err != nil && !errors.Is(err, context.Canceled) && ctx.Err() == nil {
		s.c.Log.ErrorContext(ctx, what, slog.Any("err", err))
	}
}

// Work does all work on erasures that is due, and returns the number of those that are done
// by it. The last steps, for files and for the database's files, are done once for all of
// them.
func (s *Service) Work(ctx context.Context) (done int, err error) {
	due, err := s.c.Store.DueErasures(ctx, s.now(), atOnce)
	if err != nil {
		return 0, err
	}
	if err := s.removeFiles(ctx); err != nil {
		return 0, err
	}
	var compact []Erasure
	for _, e := range due {
		last, err := s.advance(ctx, e)
		if err != nil {
			e.Due = s.now().Add(waitAfterError)
			return done, errors.Join(err, s.c.Store.MoveErasure(context.WithoutCancel(ctx), e))
		}
		if last.Step == StepCompact {
			compact = append(compact, last)
		}
	}
	if len(compact) == 0 {
		return 0, nil
	}
	if rests, err := s.compact(ctx); rests {
		return 0, nil
	} else if err != nil {
		for _, e := range compact {
			e.Due = s.now().Add(waitAfterError)
			err = errors.Join(err, s.c.Store.MoveErasure(context.WithoutCancel(ctx), e))
		}
		return 0, err
	}
	for _, e := range compact {
		if err := s.c.Store.MoveErasure(ctx, e.then("", true, s.now())); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// restFactor is the time between two compactions, as a multiple of the time that one takes:
// it blocks writers.
const restFactor = 10

// compact clears the free space of the database, unless it did so a moment ago.
func (s *Service) compact(ctx context.Context) (rests bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun := time.Now()
	if begun.Before(s.rested) {
		return true, nil
	}
	err = s.c.Store.Compact(ctx)
	s.rested = time.Now().Add(restFactor * time.Since(begun))
	return false, err
}

// advance works on an erasure up to [StepCompact], or until its files have to wait. It
// stores each step.
func (s *Service) advance(ctx context.Context, e Erasure) (Erasure, error) {
	for e.Step != StepCompact && e.Step != StepDone {
		if err := ctx.Err(); err != nil {
			return e, err
		}
		place, finished, err := s.part(ctx, e)
		if err != nil {
			return e, err
		}
		e = e.then(place, finished, s.now())
		waits := !finished && e.Step == StepFiles
		if waits {
			e.Due = s.now().Add(waitForFiles)
		}
		if err := s.c.Store.MoveErasure(ctx, e); err != nil || waits {
			return e, err
		}
	}
	return e, nil
}

// part does the next part of a step.
func (s *Service) part(ctx context.Context, e Erasure) (place string, finished bool, err error) {
	if e.Step != StepFiles {
		return s.c.Store.EraseSome(ctx, e)
	}
	if err := s.removeFiles(ctx); err != nil {
		return "", false, err
	}
	waits, err := s.c.Store.WaitsForFiles(ctx, e)
	return "", !waits, err
}

// removeFiles removes files that records have let go, and that no row names. A file that
// a request stored a moment ago stays for the time of Grace: a request may be about to name
// it.
func (s *Service) removeFiles(ctx context.Context) error {
	for {
		now := s.now()
		leaving, err := s.c.Store.LeavingFiles(ctx, now, atOnce)
		if err != nil {
			return err
		}
		for _, f := range leaving {
			if err := s.removeFile(ctx, f, now); err != nil {
				return err
			}
		}
		if len(leaving) < atOnce {
			return nil
		}
	}
}

func (s *Service) removeFile(ctx context.Context, f LeavingFile, now time.Time) error {
	if !f.Named {
		gone, err := s.c.Files.Discard(ctx, f.SHA256, time.Now().Add(-s.c.Grace)) // by the clock of the disk
		if err != nil {
			return err
		}
		there := !gone
		if there {
			if there, err = s.c.Files.Has(ctx, f.SHA256); err != nil {
				return err
			}
		}
		if there {
			return s.c.Store.PutOff(ctx, f, now.Add(waitForFiles))
		}
	}
	return s.c.Store.ForgetFile(ctx, f)
}

// sweepers are the kinds that [Store.Sweep] deletes for each tenant. Deliveries of webhooks
// are the business of their package, and scans of [Store.SweepScans].
var sweepers = []Kind{Answers, History, Locations, Mails, Uploads, Originals, Stamped}

// Sweep deletes everything that is older than it is kept, of all tenants, in small
// transactions, and notes what it removed.
func (s *Service) Sweep(ctx context.Context) error {
	tenants, err := s.c.Tenants.Tenants(ctx)
	if err != nil {
		return err
	}
	now, all, removed := s.now(), map[string]Settings{}, map[string]map[Kind]int{}
	for _, t := range tenants {
		ref := t.Reference
		if all[ref], err = s.c.Store.Retention(ctx, ref); err != nil {
			return err
		}
		removed[ref] = map[Kind]int{}
		for _, k := range sweepers {
			n, err := s.sweep(ctx, ref, k, all[ref].Before(k, now))
			removed[ref][k] += n
			if err != nil {
				return errors.Join(err, s.noteSweep(ctx, removed))
			}
		}
	}
	for after := int64(0); ; {
		if after, err = s.c.Store.SweepScans(ctx, after, func(tenantRef string) (time.Time, time.Time) {
			set := all[tenantRef] // of no tenant: the defaults
			return set.Before(Scans, now), set.Before(Locations, now)
		}, func(tenantRef string, k Kind) {
			if of, ok := removed[tenantRef]; ok {
				of[k]++
			}
		}); err != nil || after == 0 {
			break
		}
	}
	_, left := s.c.Files.Finish(ctx)
	return errors.Join(err, s.noteSweep(ctx, removed), s.removeFiles(ctx), left)
}

// noteSweep stores what a sweep removed, by tenant.
func (s *Service) noteSweep(ctx context.Context, removed map[string]map[Kind]int) (err error) {
	for ref, of := range removed {
		err = errors.Join(err, s.c.Store.NoteSweep(ctx, ref, s.now(), of))
	}
	return err
}

func (s *Service) sweep(ctx context.Context, tenantRef string, k Kind, before time.Time) (removed int, err error) {
	for more := !before.IsZero(); more; {
		var n int
		if n, more, err = s.c.Store.Sweep(ctx, tenantRef, k, before); err != nil {
			return removed, err
		}
		removed += n
		if err := ctx.Err(); err != nil {
			return removed, err
		}
	}
	return removed, nil
}
