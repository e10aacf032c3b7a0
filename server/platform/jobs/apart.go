package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os/exec"
	"sync"
	"time"
)

const (
	// warmFor is the time for which a work process without work is kept.
	warmFor = time.Minute
	// quietFor is the longest time without a sign of progress, unless the [Handler] has another.
	quietFor = 10 * time.Minute
	// killedTogether is the wait before an item is blamed for a process that was killed from
	// outside: who ends a gateway with all of its processes ends this one first now and then.
	killedTogether = time.Second
	// aloneFor is the time after the end of a work process for which subjects are done one after
	// another.
	aloneFor = 10 * time.Minute
	// idleTries is the number of work processes that may end before they begin their work.
	idleTries = 3
)

// apart does the work of one kind in a work process. After one has ended, it does one subject
// after another, and one of its items after another, for a while: the item that ends the process is
// then known, and after the second time it is set aside.
type apart struct {
	program func() *exec.Cmd
	handler Handler
	memory  uint64 // of a work process at most, in bytes; 0: any
	faults  faults
	log     *slog.Logger

	turn sync.RWMutex // held for work; for writing by work that is alone

	mu    sync.Mutex // guards the rest
	p     *process   // nil: none
	used  time.Time
	alone time.Time // until then each work is alone
}

func newApart(h Handler, c Config) *apart {
	return &apart{program: c.Apart, handler: h, memory: c.ApartMemory, faults: faults{c.DB, c.Now}, log: c.Log}
}

// work does the work of a subject, and goes on with the rest of it if an item ends the
// process.
func (a *apart) work(ctx context.Context, subject string) error {
	err := errAlone
	if !a.isAlone() {
		err = a.together(ctx, subject)
	}
	if _, ended := errors.AsType[*endedError](err); !ended && err != errAlone { //nolint:errorlint // nothing wraps it
		return err
	}
	for {
		owner := rand.Text()
		err := a.byItself(ctx, subject, owner)
		ended, ok := errors.AsType[*endedError](err)
		if !ok {
			return err
		}
		if over, err := a.blame(ctx, subject, ended); over || err != nil {
			return err
		}
		if err := a.free(ctx, subject, owner); err != nil {
			return err
		}
	}
}

// byItself does the work of a subject while no other is done.
func (a *apart) byItself(ctx context.Context, subject, owner string) error {
	a.turn.Lock()
	defer a.turn.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return a.once(ctx, subject, owner, true)
}

// errAlone means that subjects are done one after another.
var errAlone = errors.New("this work has to be alone")

func (a *apart) isAlone() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Now().Before(a.alone)
}

// together does the work of a subject while others are done in the same process. If the process
// ends, that may be due to any of them.
func (a *apart) together(ctx context.Context, subject string) error {
	a.turn.RLock()
	defer a.turn.RUnlock()
	if a.isAlone() {
		return errAlone
	}
	owner := rand.Text()
	err := a.once(ctx, subject, owner, false)
	if ended, ok := errors.AsType[*endedError](err); ok {
		if err := killedFromOutside(ctx); err != nil {
			return err
		}
		a.mu.Lock()
		a.alone = time.Now().Add(aloneFor)
		a.mu.Unlock()
		a.log.WarnContext(ctx,
			"a process of background work ended: its work is done one after another for a while",
			slog.String("kind", string(a.handler.Kind)), slog.String("subject", subject), slog.String("cause", ended.cause))
		if err := a.free(ctx, subject, owner); err != nil {
			return err
		}
	}
	return err
}

// free ends the hold of a work process that has ended.
func (a *apart) free(ctx context.Context, subject, owner string) error {
	if a.handler.Free == nil {
		return nil
	}
	return a.handler.Free(ctx, subject, owner)
}

// process returns the work process, which lives or has just ended.
func (a *apart) process(ctx context.Context) (p *process, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.p != nil {
		select {
		case <-a.p.gone:
			a.p = nil
		default:
		}
	}
	if a.p == nil {
		a.p, err = startProcess(ctx, a.program, a.memory)
	}
	return a.p, err
}

// once does the work in a process that lives.
func (a *apart) once(ctx context.Context, subject, owner string, alone bool) error {
	for try := 1; ; try++ {
		p, err := a.process(ctx)
		if err != nil {
			return err
		}
		err = p.work(ctx, order{Kind: a.handler.Kind, Subject: subject, Owner: owner, Alone: alone}, cmp.Or(a.handler.Quiet, quietFor))
		a.mu.Lock()
		a.used = time.Now()
		a.mu.Unlock()
		if err != errIdle || try == idleTries { //nolint:errorlint // nothing wraps it
			return err
		}
	}
}

// killedFromOutside waits until it is certain that the gateway does not end with its processes.
// The error is that it does.
func killedFromOutside(ctx context.Context) error {
	select {
	case <-time.After(killedTogether):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// blame counts an end of the work process, and sets the item aside that ended it too often. over
// means that nothing more is to be done for the subject now.
func (a *apart) blame(ctx context.Context, subject string, e *endedError) (over bool, err error) {
	if err := killedFromOutside(ctx); err != nil {
		return true, err // that says nothing
	}
	kind, item := a.handler.Kind, e.item
	ends, err := a.faults.add(ctx, kind, subject, item, e.cause)
	if err != nil {
		return true, err
	}
	attrs := []any{slog.String("kind", string(kind)), slog.String("subject", subject), slog.String("item", item), slog.String("cause", e.cause), slog.Int("ends", ends)}
	if ends < endsAllowed {
		a.log.WarnContext(ctx, "background work ended its process", attrs...)
		return false, nil
	}
	if ends > endsAllowed && item != "" { // it was set aside, and did not stay there
		item = ""
		if _, err := a.faults.add(ctx, kind, subject, item, e.cause); err != nil {
			return true, err
		}
	}
	if a.handler.SetAside != nil {
		if err := a.handler.SetAside(ctx, subject, item, e.cause); err != nil {
			return true, err
		}
	}
	if err := a.faults.aside(ctx, kind, subject, item); err != nil {
		return true, err
	}
	a.log.ErrorContext(ctx, "background work was set aside: it ended its process twice", attrs...)
	if a.handler.Own && item == "" {
		return true, e
	}
	return false, nil
}

// rest ends a process that has had no work for a while; immediately if now is set.
func (a *apart) rest(now bool) {
	if !a.turn.TryLock() {
		return // it works
	}
	defer a.turn.Unlock()
	a.mu.Lock()
	p := a.p
	if p == nil || !now && time.Since(a.used) <= warmFor {
		a.mu.Unlock()
		return
	}
	a.p = nil
	a.mu.Unlock()
	p.close()
}
