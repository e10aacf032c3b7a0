//go:build js

package main

import (
	"context"
	"crypto"
	"syscall/js"

	"tcode/offline/host/idb"
	"tcode/offline/host/journal"
	"tcode/offline/host/webkey"
	"tcode/scanner/web/engine/door"
)

// Names of the databases of this origin. The scans come first: their owner owns the others too.
const (
	scansName = "tcode-scans"
	trustName = "tcode-trust"
	notesName = "tcode-notes"
	keyName   = "tcode-key"
)

// stores are the journals of the device.
type stores struct {
	asked func() // another window wants them
}

func (s *stores) scans(ctx context.Context) (journal.Journal, error) {
	for _, need := range [][]string{{"indexedDB"}, {"navigator", "locks"}, {"crypto", "subtle"}, {"BroadcastChannel"}} {
		at := js.Global()
		for _, name := range need {
			if at = at.Get(name); !at.Truthy() {
				return nil, &door.Failure{
					Code: "unsupported", Message: "this browser has no " + name + " at this address",
					Advice: "Open the app at an address that begins with https, in a current browser.",
				}
			}
		}
	}
	return idb.Open(ctx, scansName, idb.Options{Asked: s.asked})
}

func (s *stores) trust(ctx context.Context) (journal.Journal, error) {
	return idb.Open(ctx, trustName, idb.Options{})
}

func (s *stores) notes(ctx context.Context) (journal.Journal, error) {
	return idb.Open(ctx, notesName, idb.Options{})
}

// take asks the window that has the stores to close them.
func (s *stores) take() { idb.Ask(scansName) }

// report says how the stores are kept.
func (s *stores) report() any { return map[string]int{"copies": 1} }

// deviceKey returns the key by which the gateway knows this device.
func deviceKey(ctx context.Context) (crypto.Signer, string, error) {
	key, err := webkey.Open(ctx, keyName)
	if err != nil {
		return nil, "", err
	}
	if key.Sealed() {
		return key, "sealed", nil
	}
	return key, "webcrypto", nil
}
