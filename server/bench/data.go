package main

import (
	"context"
	"crypto"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"tcode/offline/payload"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

const (
	tenantRef = "ACME01"
	minStamps = 200
)

// data is a gateway's folder with stamps.
type data struct {
	dir      string
	key      string   // API key of the tenant
	refs     []string // of active stamps, in random order
	payloads []string // signed payloads of as many of them, Base64
}

// prepare makes a folder with n stamps, and payloads for up to signed of the active ones.
// The database exists as long as h.
func prepare(h *host, e storetest.Engine, n, signed int) (*data, error) {
	d := &data{dir: h.TempDir()}
	storetest.Begin(h, e, d.dir)
	err := with(h.ctx, func(set *host) error { // this closes the domain before the measurement
		b := storetest.Open(set, d.dir, storetest.NewClock(time.Now()))
		if _, err := b.Tenants.CreateTenant(h.ctx, "Acme", tenantRef); err != nil {
			return err
		}
		k, err := b.Tenants.CreateKey(h.ctx, tenantRef, tenant.KeyOptions{Name: "bench"})
		if err != nil {
			return err
		}
		id, err := b.Tenants.Authenticate(h.ctx, k.Secret)
		if err != nil {
			return err
		}
		d.key = k.Secret
		first := b.Stamp(set, id, "first")
		storetest.SeedWhole(set, d.dir, first.ID, n)
		signer, _, err := b.Tenants.Signer(h.ctx, tenantRef)
		if err != nil {
			return err
		}
		for _, i := range active(n, signed) {
			d.refs = append(d.refs, seeded(i).String())
		}
		if err := d.sign(set, first, signer); err != nil {
			return err
		}
		storetest.Settle(set, d.dir)
		return nil
	})
	return d, err
}

// seeded returns the reference of the i-th stamp that storetest.SeedWhole makes, from 1.
func seeded(i int) (r payload.Reference) {
	for at := len(r) - 1; i > 0; at, i = at-1, i>>8 {
		r[at] = byte(i)
	}
	return r
}

// active picks up to limit of the stamps 1 to n that storetest.SeedWhole makes Active, spread
// over all of them and always the same ones.
func active(n, limit int) []int {
	random := rand.New(rand.NewPCG(7, uint64(n))) //nolint:gosec // for load, not for secrets
	var out []int
	for _, i := range random.Perm(n) {
		if i++; i%10 != 3 && i%100 != 7 && len(out) < limit {
			out = append(out, i)
		}
	}
	return out
}

// sign gives each of the stamps in d.refs its own payload: seeded stamps have copies of
// the first one's.
func (d *data) sign(h *host, first stamp.Stamp, signer crypto.Signer) error {
	p, err := payload.Parse(first.Payload)
	if err != nil {
		return err
	}
	tx, err := storetest.Raw(h, d.dir).BeginTx(h.ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it is over by then, or has failed
	update, err := tx.PrepareContext(h.ctx, `UPDATE stamps SET payload = $1 WHERE reference = $2`)
	if err != nil {
		return err
	}
	for _, ref := range d.refs {
		if p.Reference, err = payload.ParseReference(ref); err != nil {
			return err
		}
		if err := p.Seal(signer); err != nil {
			return err
		}
		raw, err := p.Append(nil)
		if err != nil {
			return err
		}
		res, err := update.ExecContext(h.ctx, raw, p.Reference[:])
		if err != nil {
			return err
		}
		if changed, err := res.RowsAffected(); err != nil || changed != 1 {
			return errors.Join(err, fmt.Errorf("%d stamps have the reference %s, want 1", changed, ref))
		}
		d.payloads = append(d.payloads, base64.StdEncoding.EncodeToString(raw))
	}
	return tx.Commit()
}

// count returns the number that a query selects.
func (d *data) count(ctx context.Context, query string) (n int, err error) {
	err = with(ctx, func(h *host) error { return storetest.Raw(h, d.dir).QueryRowContext(ctx, query).Scan(&n) })
	return n, err
}
