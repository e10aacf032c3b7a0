package privacy

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tcode/offline/contain"
	"tcode/server/platform/hold"
	"tcode/server/platform/round"
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
	// roundTime bounds a round, which continues in the next one.
	roundTime = 20 * time.Minute
	// stepTime bounds a part of a sweep, which is a small transaction, and the removal of a file.
	stepTime = 5 * time.Minute
)

// Subjects of [Service.Do] that are not ids of erased records.
const (
	subjectSweep   = "sweep"
	subjectFiles   = "files"
	subjectCompact = "compact"
)

// Run erases and sweeps until ctx ends. What fails is logged and tried again.
func (s *Service) Run(ctx context.Context) error {
	look, sweep := time.NewTicker(lookEvery), time.NewTimer(firstSweep)
	defer look.Stop()
	defer sweep.Stop()
	for {
		s.logged(ctx, "erase", round.Do(ctx, roundTime, func(ctx context.Context) error {
			_, err := s.Work(ctx)
			return err
		}))
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		case <-look.C:
		case <-sweep.C:
			s.logged(ctx, "sweep old data", round.Do(ctx, roundTime, func(ctx context.Context) error { return s.c.Apart(ctx, subjectSweep) }))
			sweep.Reset(sweepEvery)
		}
	}
}

func (s *Service) logged(ctx context.Context, what string, err error) {
	if err != nil && !errors.Is(err, context.Canceled) && ctx.Err() == nil {
		s.c.Log.ErrorContext(ctx, what, slog.Any("err", err))
	}
}

// Do does the work of a subject: the erasure of a record up to [StepCompact], a sweep, or the
// removal of files.
func (s *Service) Do(ctx context.Context, subject string) error {
	switch subject {
	case subjectSweep:
		return s.Sweep(ctx)
	case subjectFiles:
		return s.leave(ctx)
	case subjectCompact:
		return s.c.Store.Compact(ctx)
	}
	e, open, err := s.c.Store.OpenErasure(ctx, subject)
	if err != nil || !open {
		return err
	}
	return contain.Do("erasure", func() error {
		contain.SeedItem("erasure", e.ID)
		return s.advance(ctx, e)
	})
}

// Work does all work on erasures that is due, and returns the number of those that are done
// by it. The last steps, for files and for the database's files, are done once for all of
// them. An erasure that fails does not hold up the others.
func (s *Service) Work(ctx context.Context) (done int, err error) {
	due, err := s.c.Store.DueErasures(ctx, s.now(), atOnce)
	if err != nil {
		return 0, err
	}
	var failed error
	for _, e := range due {
		failed = errors.Join(failed, s.try(ctx, e))
	}
	failed = errors.Join(failed, s.removeFiles(ctx))
	var compact []Erasure
	for _, e := range due {
		last, err := s.c.Store.Erasure(ctx, e.Tenant, e.ID)
		if err == nil && last.Step == StepFiles {
			if err = s.try(ctx, last); err == nil {
				last, err = s.c.Store.Erasure(ctx, e.Tenant, e.ID)
			}
		}
		if failed = errors.Join(failed, err); err == nil && last.Step == StepCompact {
			compact = append(compact, last)
		}
	}
	if len(compact) == 0 {
		return 0, failed
	}
	if rests, err := s.compact(ctx); rests {
		return 0, failed
	} else if err != nil {
		for _, e := range compact {
			err = errors.Join(err, s.putOff(ctx, e))
		}
		return 0, errors.Join(failed, err)
	}
	for _, e := range compact {
		if err := s.c.Store.MoveErasure(ctx, e.then("", true, s.now())); err != nil {
			return done, errors.Join(failed, err)
		}
		done++
	}
	return done, failed
}

// try has an erasure done up to [StepCompact], and puts it off if it fails.
func (s *Service) try(ctx context.Context, e Erasure) error {
	err := s.c.Apart(ctx, e.ID)
	if err == nil || ctx.Err() != nil {
		return err
	}
	last, open, again := s.c.Store.OpenErasure(ctx, e.ID) // how far it has come
	if again == nil && open {
		again = s.putOff(ctx, last)
	}
	return errors.Join(err, again)
}

func (s *Service) putOff(ctx context.Context, e Erasure) error {
	e.Due = s.now().Add(waitAfterError)
	return s.c.Store.MoveErasure(context.WithoutCancel(ctx), e)
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
	err = s.c.Apart(ctx, subjectCompact)
	s.rested = time.Now().Add(restFactor * time.Since(begun))
	return false, err
}

// advance works on an erasure up to [StepCompact], or until its files have to wait. It
// stores each step.
func (s *Service) advance(ctx context.Context, e Erasure) error {
	for e.Step != StepCompact && e.Step != StepDone {
		if err := ctx.Err(); err != nil {
			return err
		}
		place, finished, err := s.part(ctx, e)
		if err != nil {
			return err
		}
		e = e.then(place, finished, s.now())
		waits := !finished && e.Step == StepFiles
		if waits {
			e.Due = s.now().Add(waitForFiles)
		}
		if err := s.c.Store.MoveErasure(ctx, e); err != nil || waits {
			return err
		}
		hold.Item(ctx, "") // a sign of progress
	}
	return nil
}

// part does the next part of a step.
func (s *Service) part(ctx context.Context, e Erasure) (place string, finished bool, err error) {
	if e.Step != StepFiles {
		return s.c.Store.EraseSome(ctx, e)
	}
	waits, err := s.c.Store.WaitsForFiles(ctx, e)
	return "", !waits, err
}

// removeFiles removes files that records have let go, if there are any.
func (s *Service) removeFiles(ctx context.Context) error {
	leaving, err := s.c.Store.LeavingFiles(ctx, s.now(), 1)
	if err != nil || len(leaving) == 0 {
		return err
	}
	return s.c.Apart(ctx, subjectFiles)
}

// leave removes files that records have let go, and that no row names. A file that
// a request stored a moment ago stays for the time of Grace: a request may be about to name
// it.
func (s *Service) leave(ctx context.Context) error {
	for {
		now := s.now()
		leaving, err := s.c.Store.LeavingFiles(ctx, now, atOnce)
		if err != nil {
			return err
		}
		for _, f := range leaving {
			hold.Item(ctx, f.SHA256)
			err := contain.Within(ctx, "leaving-file", stepTime, func(ctx context.Context) error {
				contain.SeedItem("leaving-file", f.SHA256)
				return s.removeFile(ctx, f, now)
			})
			hold.Item(ctx, "")
			if err == nil {
				continue
			}
			if ctx.Err() != nil {
				return err
			}
			// It must not hold up the others, nor the erasures that wait for them.
			s.logged(ctx, "remove a file", err)
			if err := s.c.Store.PutOff(ctx, f, now.Add(waitAfterError)); err != nil {
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
// are the business of their package; of scans these are the counts, and [Store.SweepShared] has the
// rows.
var sweepers = []Kind{Answers, History, Locations, Scans, Mails, Uploads, Originals, Stamped}

// Sweep deletes everything that is older than it is kept, of all tenants, in small
// transactions, and notes what it removed. It leaves out what was set aside.
func (s *Service) Sweep(ctx context.Context) error {
	tenants, err := s.c.Tenants.Tenants(ctx)
	if err != nil {
		return err
	}
	aside, err := s.c.Store.SetAsideOf(ctx, subjectSweep)
	if err != nil {
		return err
	}
	now, all, removed := s.now(), map[string]Settings{}, map[string]map[Kind]int{}
	var failed error
	for _, t := range tenants {
		ref := t.Reference
		if all[ref], err = s.c.Store.Retention(ctx, ref); err != nil {
			return err
		}
		removed[ref] = map[Kind]int{}
		for _, k := range sweepers {
			if aside[sweepItem(ref, k)] {
				continue
			}
			n, err := s.sweep(ctx, ref, k, all[ref].Before(k, now))
			removed[ref][k] += n
			if ctx.Err() != nil {
				return errors.Join(err, s.noteSweep(context.WithoutCancel(ctx), removed))
			}
			failed = errors.Join(failed, err) // other kinds and tenants are swept anyway
		}
	}
	if !aside[string(Scans)] {
		err = s.sweepScans(ctx, now, all, removed)
	}
	_, left := s.c.Files.Finish(ctx)
	return errors.Join(failed, err, s.noteSweep(ctx, removed), s.removeFiles(ctx), left)
}

// sweepItem is the name of the sweep of one kind of a tenant.
func sweepItem(tenantRef string, k Kind) string { return tenantRef + "." + string(k) }

func (s *Service) sweepScans(ctx context.Context, now time.Time, all map[string]Settings, removed map[string]map[Kind]int) (err error) {
	defer hold.Item(ctx, "")
	keep := Keep{Now: now, Longest: longestScans(now, all), Scans: func(tenantRef string) (time.Time, time.Time) {
		set := all[tenantRef] // of no tenant: the defaults
		return set.Before(Scans, now), set.Before(Locations, now)
	}}
	for after := ""; ; {
		hold.Item(ctx, string(Scans))
		if after, err = s.c.Store.SweepShared(ctx, after, keep, func(tenantRef string, k Kind) {
			if of, ok := removed[tenantRef]; ok {
				of[k]++
			}
		}); err != nil || after == "" {
			return err
		}
	}
}

// longestScans returns the time before which no tenant keeps scans. "Forever" is ten years here.
func longestScans(now time.Time, all map[string]Settings) time.Time {
	days := Settings{}.Days(Scans)
	for _, set := range all {
		own := set.Days(Scans)
		if own == 0 {
			own = longest
		}
		days = max(days, own)
	}
	return now.AddDate(0, 0, -days)
}

// noteSweep stores what a sweep removed, by tenant.
func (s *Service) noteSweep(ctx context.Context, removed map[string]map[Kind]int) (err error) {
	for ref, of := range removed {
		err = errors.Join(err, s.c.Store.NoteSweep(ctx, ref, s.now(), of))
	}
	return err
}

func (s *Service) sweep(ctx context.Context, tenantRef string, k Kind, before time.Time) (removed int, err error) {
	item := sweepItem(tenantRef, k)
	defer hold.Item(ctx, "")
	for more := !before.IsZero(); more; {
		hold.Item(ctx, item)
		var n int
		err := contain.Within(ctx, "sweep", stepTime, func(ctx context.Context) (err error) {
			contain.SeedItem("sweep", item)
			n, more, err = s.c.Store.Sweep(ctx, tenantRef, k, before)
			return err
		})
		if err != nil {
			return removed, err
		}
		removed += n
		if err := ctx.Err(); err != nil {
			return removed, err
		}
	}
	return removed, nil
}
