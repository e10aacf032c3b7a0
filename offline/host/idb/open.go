//go:build js

package idb

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"

	"tcode/offline/contain"
	"tcode/offline/host/journal"
	"tcode/offline/host/webapi"
)

const (
	version = 1 // of the database's layout
	records = "records"
)

// Options says how a journal is opened. The zero value is usable.
type Options struct {
	// Asked is called in its own goroutine when another tab calls [Ask] for this journal: the owner closes it if it can.
	Asked func()
}

// Open opens the journal of that name in the database of this origin, and makes it if there is none. The error is
// journal.ErrOwned if another worker or tab has it open. A database of a later version of this package is not opened.
func Open(ctx context.Context, name string, options Options) (journal.Journal, error) {
	owner, err := take(ctx, "idb:"+name)
	if errors.Is(err, journal.ErrLocked) {
		return nil, journal.ErrOwned
	}
	if err != nil {
		return nil, fmt.Errorf("own the journal %s: %w", name, err)
	}
	db, err := webapi.OpenStore(ctx, name, version, records)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the journal %s: %w", name, err), owner.free(context.WithoutCancel(ctx)))
	}
	s := &store{name: name, db: db, owner: owner, turn: make(chan struct{}, 1)}
	s.listen(options)
	return s, nil
}

// Ask asks the tab that has the journal open to close it. It does not wait.
func Ask(name string) {
	channel := js.Global().Get("BroadcastChannel").New("idb:" + name)
	channel.Call("postMessage", "close")
	channel.Call("close")
}

// listen follows what the browser and other tabs want of the database.
func (s *store) listen(options Options) {
	lost := func(js.Value) {
		s.lost.Store(true)
		s.db.Call("close") // otherwise an upgrade or a removal by another tab waits forever
	}
	s.off = append(s.off, webapi.On(s.db, "versionchange", lost), webapi.On(s.db, "close", lost))
	if options.Asked == nil {
		return
	}
	channel := js.Global().Get("BroadcastChannel").New("idb:" + s.name)
	off := webapi.On(channel, "message", func(js.Value) {
		contain.Start("asked", func() error { options.Asked(); return nil })
	})
	s.off = append(s.off, func() { channel.Call("close"); off() })
}
