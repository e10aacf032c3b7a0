package blob

import (
	"context"
	"time"
)

// A Register knows which rows name files, and condemns those that none names. The database
// implements it.
type Register interface {
	// Condemn condemns a copy of a file, and those before it, unless a row names the file.
	Condemn(ctx context.Context, name string, copy int, now time.Time) (bool, error)
	// Removed notes that these copies are removed.
	Removed(ctx context.Context, name string, copy int) error
	// LeftCondemned calls each for copies that were condemned before a time, without a note
	// that they are removed.
	LeftCondemned(ctx context.Context, before time.Time, each func(name string, copy int) error) error
	// ForgetCondemned forgets files that were removed before a time.
	ForgetCondemned(ctx context.Context, before time.Time) error
}

// A Sweeper removes files that no row names.
//
//	old enough? ─▶ Condemn: no row names it, and none will ─▶ Remove ─▶ Removed
//
// A request that found such a file, or put it just then, cannot name it any more: its
// transaction finds the file condemned, and the request puts the file again as the next
// copy.
type Sweeper struct {
	*Store
	Register Register
}

// Discard removes a file that was not put since before, and that no row names. It reports
// whether the file is gone.
func (s Sweeper) Discard(ctx context.Context, name string, before time.Time) (bool, error) {
	item, err := s.Stat(ctx, name)
	if err != nil || item.Name == "" {
		return err == nil, err
	}
	return s.DiscardItem(ctx, item, before)
}

// DiscardItem is Discard for a file of a list.
func (s Sweeper) DiscardItem(ctx context.Context, item Item, before time.Time) (bool, error) {
	if !item.Changed.Before(before) {
		return false, nil
	}
	done, err := s.Register.Condemn(ctx, item.Name, item.Copy, time.Now())
	if err != nil || !done {
		return false, err
	}
	err = s.finish(ctx, item.Name, item.Copy)
	return err == nil, err
}

func (s Sweeper) finish(ctx context.Context, name string, copy int) error {
	if err := s.Remove(ctx, name, copy); err != nil {
		return err
	}
	return s.Register.Removed(ctx, name, copy)
}

// The times of [Sweeper.Finish].
const (
	// leftAfter is the age of a condemnation whose process has most likely ended. If it has
	// not, both remove the same copies.
	leftAfter = time.Minute
	// forgetAfter is the time for which removed files stay condemned: far longer than any
	// request, and than any removal on its way.
	forgetAfter = 30 * 24 * time.Hour
)

// Finish ends removals that other processes began, and forgets old ones. It returns the
// number of files that it removed.
func (s Sweeper) Finish(ctx context.Context) (n int, err error) {
	err = s.Register.LeftCondemned(ctx, time.Now().Add(-leftAfter), func(name string, copy int) error {
		n++
		return s.finish(ctx, name, copy)
	})
	if err != nil {
		return n, err
	}
	return n, s.Register.ForgetCondemned(ctx, time.Now().Add(-forgetAfter))
}
