package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/tenant"
	"tcode/sync/wire"
)

// A LostStamp is a stamp whose row was lost in a restore: it was made after the backup.
type LostStamp struct {
	Reference payload.Reference
	Tenant    string
	Status    payload.StatusIndex
	Again     bool // it was revoked before
}

// The reasons why a lost stamp cannot be revoked.
var (
	ErrHasRecord      = errors.New("the stamp has its record here: its issuer revokes it")
	ErrNoPayload      = errors.New("no scan of a stamp with this reference has arrived: give its payload")
	ErrForeignPayload = errors.New("no key of this gateway has signed this payload")
)

// RevokeLost revokes a stamp whose row was lost in a restore. Its payload says which
// status entry it has: text is that payload, or the reference of a stamp that a device
// has sent a scan of. This gateway must have signed it.
func (g *Gateway) RevokeLost(ctx context.Context, text string) (out LostStamp, err error) {
	restore, err := g.db.Restored(ctx)
	if err != nil {
		return out, err
	}
	first, err := g.db.FirstRestore(ctx)
	switch {
	case err != nil:
		return out, err
	case first == nil:
		return out, ErrNotRestored
	case restore != nil:
		return out, fmt.Errorf("confirm the restore first, by tcode-gateway fsck")
	}
	p, core, err := g.lostPayload(ctx, text)
	if err != nil {
		return out, err
	}
	keys, err := g.publicKeys(ctx)
	if err != nil {
		return out, err
	}
	key, ok := keys[tenant.KeyID(p.Issuer, p.KeySeq)]
	if !ok || key.Algorithm() != p.Algorithm || !key.Verify(core, p.Signature) {
		return out, ErrForeignPayload
	}
	switch _, err := g.db.RecordByReference(ctx, p.Reference); {
	case err == nil:
		return out, ErrHasRecord
	case !fault.Is(err, fault.NotFound):
		return out, err
	}
	out = LostStamp{Reference: p.Reference, Tenant: p.Issuer, Status: p.Status}
	audit := tenant.NewEntry(ctx, p.Issuer, "stamp.revoke_lost", p.Reference.String(), g.c.Now().UTC()).
		With("shard", fmt.Sprint(p.Status.Shard())).
		With("entry", fmt.Sprint(p.Status.Entry()))
	changed, err := g.db.RevokeLost(ctx, p.Status, audit)
	out.Again = !changed
	return out, err
}

// lostPayload returns the payload that text is, or that a scan of that reference has.
func (g *Gateway) lostPayload(
	ctx context.Context, text string,
) (p payload.Payload, core []byte, err error) {
	read := func(text string) (payload.Payload, []byte, error) {
		raw, err := wire.PayloadBytes(text)
		if err != nil {
			return p, nil, err
		}
		p, err := payload.Parse(raw)
		return p, payload.Core(raw), err
	}
	ref, err := payload.ParseReference(strings.TrimSpace(text))
	if err != nil {
		return read(text)
	}
	found := false
	err = g.db.LostPayloads(ctx, func(text string) bool {
		one, bytes, err := read(text)
		if err == nil && one.Reference == ref {
			p, core, found = one, bytes, true
		}
		return !found
	})
	if err == nil && !found {
		err = ErrNoPayload
	}
	return p, core, err
}
