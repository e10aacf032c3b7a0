package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"tcode/offline/contain"
)

// hangups are the SIGHUPs of a program: they end it, unless [Hangups] was called.
type hangups struct {
	signals chan os.Signal
	taken   atomic.Bool
	cancel  context.CancelFunc
	told    chan struct{}
}

type hangupsKey struct{}

// takeHangups returns a context that the first SIGHUP cancels.
func takeHangups(parent context.Context) (context.Context, *hangups) {
	h := &hangups{signals: make(chan os.Signal, 1), told: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(context.WithValue(parent, hangupsKey{}, h))
	h.cancel = cancel
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(h.signals, syscall.SIGHUP)
	}
	contain.Start("hangups", func() error { // it lasts as long as the program
		for range h.signals {
			if !h.taken.Load() {
				cancel()
				continue
			}
			select {
			case h.told <- struct{}{}:
			default: // one is waiting already
			}
		}
		return nil
	})
	return ctx, h
}

// stop gives SIGHUP its default action again, unless it is a request to read files.
func (h *hangups) stop() {
	if !h.taken.Load() {
		signal.Stop(h.signals)
	}
}

// End ends the program as the first signal does. ctx is the context of [Main].
func End(ctx context.Context) {
	if h, ok := ctx.Value(hangupsKey{}).(*hangups); ok {
		h.cancel()
	}
}

// Hangups makes SIGHUP a request to read files again: each one gives a value, and the
// context of [Main] goes on, also under nohup. Without Main the channel has none.
func Hangups(ctx context.Context) <-chan struct{} {
	h, _ := ctx.Value(hangupsKey{}).(*hangups)
	if h == nil {
		return nil
	}
	h.taken.Store(true)
	signal.Notify(h.signals, syscall.SIGHUP) // also one that was ignored, as under nohup
	return h.told
}
