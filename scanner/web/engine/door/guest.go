package door

import (
	"context"
	"crypto"
	"crypto/ed25519"

	"tcode/offline/host/journal"
)

// guestOps are the requests that a guest may make: those that judge documents, and those that fetch
// trust documents. The others keep or send something.
var guestOps = map[string]bool{
	"start": true, "close": true, "kind": true, "memory": true,
	"file": true, "still": true, "typed": true, "enrol": true, "refresh": true, "trust": true,
}

var errGuest = &Failure{Code: "request", Message: "a guest keeps and sends nothing"}

// guestOf returns the configuration of a guest: its stores end with it, its key signs nothing, and no other
// window gives up its stores for it.
func guestOf(cfg Config) Config {
	open := func(context.Context) (journal.Journal, error) { return nowhere{}, nil }
	cfg.Trust, cfg.Scans, cfg.Notes = open, open, open
	cfg.Key = func(context.Context) (crypto.Signer, string, error) {
		return ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), "none", nil
	}
	return cfg
}

// nowhere is a journal that keeps nothing: its owner has the records in memory, and begins anew when it
// opens it again.
type nowhere struct{}

func (nowhere) Load(context.Context, func(string, []byte) error) error { return nil }

func (nowhere) Commit(context.Context, map[string][]byte) error { return nil }

func (nowhere) Lock(context.Context) (func() error, error) { return func() error { return nil }, nil }

func (nowhere) Close() error { return nil }
