package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"tcode/server/platform/blob"
	"tcode/server/platform/keyring"
	"tcode/server/tenant"
)

// ErrKeysetMissing means that the database's keys are sealed, and the keyset that opens
// them is missing. A new keyset would open nothing, so none is made.
var ErrKeysetMissing = errors.New("the master keyset is missing, and only it opens the keys in the database: put it back from where it is kept, or give it in $" + keyring.EnvName)

// addressSecret names the key of download addresses, the first secret of a
// database.
const addressSecret = "download addresses"

// openKeys opens master keyset and token.
func (g *Gateway) openKeys(ctx context.Context) (err error) {
	path := filepath.Join(g.c.Data, keyring.FileName)
	if g.c.MasterKeyset == "" {
		// This order matters: a gateway that begins concurrently makes the keyset
		// first.
		sealed, err := g.db.Secret(ctx, addressSecret)
		if err != nil {
			return err
		}
		switch have, err := keyring.Exists(g.c.Data); {
		case err != nil:
			return fmt.Errorf("master keyset: %w", err)
		case sealed != nil && !have:
			return fmt.Errorf("%s: %w", path, ErrKeysetMissing)
		}
	} else {
		path = "$" + keyring.EnvName
	}
	if g.ring, err = keyring.Open(g.c.Data, g.c.MasterKeyset); err != nil {
		return fmt.Errorf("open master keyset: %w", err)
	}
	secret, err := g.ring.Secret(ctx, g.db, addressSecret, 32)
	if errors.Is(err, keyring.ErrSealed) {
		return fmt.Errorf("%s holds another keyset than the one that sealed this database: %w", path, err)
	}
	if err != nil {
		return err
	}
	g.urls = blob.NewURLSigner(secret, g.c.Now)
	if g.c.Token.Module != "" {
		g.token, err = keyring.OpenToken(g.c.Token)
	}
	return err
}

// opensSecrets opens a secret of the present database with the present
// keyset.
func (g *Gateway) opensSecrets(ctx context.Context) error {
	sealed, err := g.db.Secret(ctx, addressSecret)
	if err != nil || sealed == nil {
		return err
	}
	_, err = g.ring.Open(sealed, "", addressSecret)
	return err
}

// KeysetKeys lists the keys of the master keyset.
func (g *Gateway) KeysetKeys() []keyring.KeyInfo { return g.ring.Keys() }

// RotateKeyset adds a key to the master keyset and reseals all secrets by it, and returns
// the number of resealed ones. The older keys still open secrets that a running gateway
// sealed meanwhile; [Gateway.PruneKeyset] removes them. If the keyset came from the
// environment, text is the new one: put it there, and then call [Gateway.Reseal]; nothing
// else has changed yet.
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

// PruneKeyset removes all keys of the master keyset except the one that seals, after every
// secret is sealed by that one. text is as for [Gateway.RotateKeyset].
func (g *Gateway) PruneKeyset(ctx context.Context) (text []byte, err error) {
	if _, err := g.Reseal(ctx); err != nil {
		return nil, fmt.Errorf("nothing is removed: %w", err)
	}
	return g.ring.Prune()
}

// tellRoot logs the consequences of a root key on the gateway, as long as there is
// one.
func (g *Gateway) tellRoot(ctx context.Context) error {
	now, err := g.Publisher.Authority(ctx)
	if err != nil {
		return err
	}
	if now.Alone() {
		g.c.Log.InfoContext(ctx, "the root key lies sealed on this gateway: a thief of its data and keyset can make scanners trust anything, permanently; "+
			"server/ceremony/README.md tells how to move it to keys that are kept offline", slog.String("key", now.Embedded.String()))
	}
	return nil
}
