package hold

import (
	"context"
	"crypto/rand"
)

// Twice is the reason of an item that ended its process twice. It is not tried again unless a
// person asks.
const Twice = "it stopped the gateway twice, and was set aside"

// ActionSetAside is the action of the audit log for that.
const ActionSetAside = "work.set_aside"

// A watched is what watches work: the process that does it, or the gateway that this process works
// for.
type watched struct {
	owner string
	alone bool
	begin func(item string)
}

type watchedKey struct{}

// Watched returns a context for work that is watched: begin hears which item of it begins. The
// work is held by owner; "": by a new one. With alone nothing else is done in its process.
func Watched(ctx context.Context, owner string, alone bool, begin func(item string)) context.Context {
	return context.WithValue(ctx, watchedKey{}, watched{owner, alone, begin})
}

// IsAlone reports whether the work of ctx has a process of its own. It then does its items one
// after another: the last one that began is the cause if the process ends.
func IsAlone(ctx context.Context) bool {
	w, _ := ctx.Value(watchedKey{}).(watched)
	return w.alone
}

// Owner returns the name of the owner of the work of ctx.
func Owner(ctx context.Context) string {
	if w, ok := ctx.Value(watchedKey{}).(watched); ok && w.owner != "" {
		return w.owner
	}
	return rand.Text()
}

// Item says that an item of the work of ctx begins: a row, a record, a delivery. "" is the work
// itself, between its items. Work that says nothing for long is taken to hang.
func Item(ctx context.Context, id string) {
	if w, ok := ctx.Value(watchedKey{}).(watched); ok {
		w.begin(id)
	}
}
