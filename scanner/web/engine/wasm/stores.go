//go:build js

package main

import (
	"context"
	"crypto"
	"sync"
	"syscall/js"

	"tcode/offline/host/browserstore"
	"tcode/offline/host/idb"
	"tcode/offline/host/journal"
	"tcode/offline/host/twofold"
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

	mu      sync.Mutex
	reports map[string]twofold.Report // by journal
}

// open opens a journal in two copies, and keeps the report for the page.
func (s *stores) open(ctx context.Context, name string, o idb.Options) (journal.Journal, error) {
	j, report, err := browserstore.Open(ctx, name, o)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reports == nil {
		s.reports = map[string]twofold.Report{}
	}
	s.reports[name] = report
	return j, nil
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
	return s.open(ctx, scansName, idb.Options{Asked: s.asked})
}

func (s *stores) trust(ctx context.Context) (journal.Journal, error) {
	return s.open(ctx, trustName, idb.Options{})
}

func (s *stores) notes(ctx context.Context) (journal.Journal, error) {
	return s.open(ctx, notesName, idb.Options{})
}

// take asks the window that has the stores to close them.
func (s *stores) take() { idb.Ask(scansName) }

// storage is the member storage of a State.
type storage struct {
	Copies int               `json:"copies"` // in which each scan is: 1 or 2
	Lost   bool              `json:"lost"`   // neither copy of the scans was whole when they were opened
	Found  map[string]string `json:"found"`  // what was found when each store was opened, in English
}

// report says how the stores are kept.
func (s *stores) report() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	scans := s.reports[scansName]
	said := storage{Copies: scans.Count(), Lost: scans.Lost, Found: map[string]string{}}
	for name, report := range s.reports {
		said.Found[name] = report.String()
	}
	return said
}

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
