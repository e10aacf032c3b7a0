package door

import (
	"context"
	"crypto"
	"crypto/ed25519"

	"tcode/offline/host/journal"
	"tcode/scanner/web/engine/keep"
)

// guestOps are the requests that a guest may make: those that judge documents, and those that fetch
// trust documents. The others keep or send something.
var guestOps = map[string]bool{
	"start": true, "close": true, "kind": true, "memory": true,
	"file": true, "still": true, "typed": true, "enrol": true, "refresh": true, "trust": true,
}

var errGuest = &Failure{Code: "request", Message: "a guest keeps and sends nothing"}

// guestOf returns the configuration of a guest: its stores are in memory and end with it, its key signs
// nothing, and no other window gives up its stores for it.
func guestOf(cfg Config) Config {
	cfg.Trust, cfg.Scans, cfg.Notes = inMemory(), inMemory(), inMemory()
	cfg.Key = func(context.Context) (crypto.Signer, string, error) {
		return ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), "none", nil // it signs nothing
	}
	return cfg
}

// inMemory returns an opener of a journal that no disk has.
func inMemory() keep.Opener {
	disk := new(journal.Disk)
	return func(context.Context) (journal.Journal, error) { return disk.Open() }
}
