package server

import (
	"context"
	"fmt"

	"tcode/server/keyring"
	"tcode/server/tenant"
)

// KeysetKeys lists the keys of the master keyset.
func (g *Gateway) KeysetKeys() []keyring.KeyInfo { return g.ring.Keys() }

// RotateKeyset has a new key of the master keyset seal all secrets, those that
// are there anew, and returns how many that were. The keys before it still open
// what a gateway that runs meanwhile has sealed; [Gateway.PruneKeyset] removes
// them. text is the new keyset where it came from the environment: it must be
// put there, and then [Gateway.Reseal] called; nothing else has changed yet.
func (g *Gateway) RotateKeyset(ctx context.Context) (text []byte, resealed int, err error) {
	if text, err = g.ring.Rotate(); err != nil || text != nil {
		return text, 0, err
	}
	resealed, err = g.Reseal(ctx)
	return nil, resealed, err
}

// Reseal seals every secret by the keyset's present key.
func (g *Gateway) Reseal(ctx context.Context) (int, error) {
	return g.db.Reseal(ctx, g.ring.Reseal, tenant.NewEntry(ctx, "", tenant.ActionKeysetRotate, "master keyset", g.c.Now().UTC()))
}

// PruneKeyset removes all keys of the master keyset but the one that seals, once
// every secret is sealed by that. text is as for [Gateway.RotateKeyset].
func (g *Gateway) PruneKeyset(ctx context.Context) (text []byte, err error) {
	if _, err := g.Reseal(ctx); err != nil {
		return nil, fmt.Errorf("nothing is removed: %w", err)
	}
	return g.ring.Prune()
}
