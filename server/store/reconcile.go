package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/tenant"
)

// A TrustSet is a complete set of published trust documents, verified.
type TrustSet struct {
	// AsOf is when the set was issued if the restore is confirmed already: what the rows
	// have since then counts. Zero: all rows are older.
	AsOf      time.Time
	Version   uint64 // of the timestamp
	Bundle    *trust.Bundle
	Shards    map[uint16]*statuslist.Shard
	Survivors []statuslist.Survivors
}

// A Loss is a published fact that the rows do not have, because the database was restored
// from a backup.
type Loss struct {
	Problem
	fix func(ctx context.Context, tx *sql.Tx) error
}

// Fixable reports whether Reconcile can restore it.
func (l Loss) Fixable() bool { return l.fix != nil }

// reasonRestored is the reason, in the history of stamps, for a repeated revocation or
// suspension.
const reasonRestored = "made up for after a restore from the published status list"

// Reconcile finds facts that a set, newer than the rows, shows and the rows
// lack: tenants, signing keys and their compromises, revocations and
// suspensions. With apply it restores them, all in one transaction. The
// contents of stamps made after the backup are lost; their revocations are
// not.
func (d *DB) Reconcile(ctx context.Context, set TrustSet, apply bool, now time.Time, audit *tenant.Entry) (found []Loss, err error) {
	find := func(ctx context.Context, q queryer) ([]Loss, error) {
		r := &reconciler{q: q, set: set, now: now, by: audit.By}
		for _, step := range []func(context.Context) error{r.tenants, r.keys, r.shards} {
			if err := step(ctx); err != nil {
				return nil, err
			}
		}
		return r.found, nil
	}
	if !apply {
		found, err = readAs(ctx, d, everyone, find)
		return found, wrap(err, "compare with trust documents")
	}
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		if found, err = find(ctx, tx); err != nil || len(found) == 0 {
			return err
		}
		for _, l := range found {
			if l.fix == nil {
				continue
			}
			if err := l.fix(ctx, tx); err != nil {
				return fmt.Errorf("%s %s: %w", l.Kind, l.Subject, err)
			}
		}
		if err := insertAudit(ctx, tx, audit); err != nil {
			return err
		}
		if !set.AsOf.IsZero() { // else AgreeRestore raises it
			if err := raiseVersion(ctx, tx, set.Version); err != nil {
				return err
			}
		}
		return wantBundle(ctx, tx)
	})
	return found, wrap(err, "restore lost facts")
}

type reconciler struct {
	q     queryer
	set   TrustSet
	now   time.Time
	by    tenant.By
	found []Loss
}

func (r *reconciler) add(kind, subject, detail string, fix func(context.Context, *sql.Tx) error) {
	r.found = append(r.found, Loss{Problem{kind, subject, detail}, fix})
}

// tenants finds missing tenants, and lost suspensions.
func (r *reconciler) tenants(ctx context.Context) error {
	for _, published := range r.set.Bundle.Tenants {
		have, err := tenantOf(ctx, r.q, published.Reference)
		switch {
		case fault.Is(err, fault.NotFound):
			r.add("lost_tenant", published.Reference, "the tenant was made after the backup", func(ctx context.Context, tx *sql.Tx) error {
				t := tenant.Tenant{
					Reference: published.Reference, Name: published.Name, State: tenant.State(published.State),
					CreatedAt: r.now, UpdatedAt: r.now, Language: tenant.DefaultLanguage, Plan: tenant.Unlimited(),
				}
				if err := insertTenantRow(ctx, tx, t); err != nil {
					return err
				}
				return noteTenantState(ctx, tx, t.Reference, t.State, r.now)
			})
		case err != nil:
			return err
		case published.State == trust.TenantState(tenant.Suspended) && have.State == tenant.Active && r.older(have.UpdatedAt):
			r.add("lost_tenant_suspension", published.Reference, "the tenant was suspended after the backup", func(ctx context.Context, tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, `UPDATE tenants SET state = $1, updated_at = $2 WHERE reference = $3`,
					tenant.Suspended, ms(r.now), published.Reference)
				if err != nil {
					return err
				}
				return noteTenantState(ctx, tx, published.Reference, tenant.Suspended, r.now)
			})
		}
	}
	return nil
}

// keys finds missing signing keys, and those that had stopped signing or were compromised.
// The private half of a lost key is lost: its stamps stay good, and it does not sign any
// more.
func (r *reconciler) keys(ctx context.Context) error {
	rows, err := signingKeys(ctx, r.q, "")
	if err != nil {
		return err
	}
	have := make(map[string]tenant.SigningKey, len(rows))
	for _, k := range rows {
		have[k.ID()] = k
	}
	for _, p := range r.set.Bundle.Keys {
		k, ok := have[tenant.KeyID(p.Tenant, p.Seq)]
		next := tenant.SigningKey{
			Tenant: p.Tenant, Seq: p.Seq, Public: p.Public, State: tenant.KeyState(p.State), ValidFrom: p.ValidFrom, ValidUntil: p.ValidUntil,
			CompromisedSince: p.CompromisedSince, SurvivorList: p.SurvivorList, CreatedAt: r.now, Sealed: []byte{},
		}
		put := func(ctx context.Context, tx *sql.Tx) error { return r.putKey(ctx, tx, next) }
		switch over := next.State == tenant.KeyVerifying || next.State == tenant.KeyCompromised; {
		case !ok:
			if !over {
				next.State = tenant.KeyVerifying
				next.ValidUntil = later(next.ValidFrom, r.now).Add(time.Second)
			}
			r.add("lost_key", next.ID(), "the signing key was made after the backup; its private half is lost", put)
		case k.Public != p.Public:
			r.add("foreign_key", k.ID(), "another key was published under this id", nil)
		case next.State == tenant.KeyCompromised && k.State != tenant.KeyCompromised:
			r.add("lost_compromise", k.ID(), "the signing key was compromised after the backup", put)
		case over && k.State != tenant.KeyVerifying && k.State != tenant.KeyCompromised:
			if !r.set.AsOf.IsZero() {
				put = nil // the stamps that it has signed since the restore would be void
			}
			r.add("lost_rotation", k.ID(), "the signing key signed no more after the backup", put)
		}
	}
	return nil
}

// older reports whether what a row says was so when the set was issued.
func (r *reconciler) older(row time.Time) bool {
	return r.set.AsOf.IsZero() || !row.After(r.set.AsOf)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (r *reconciler) putKey(ctx context.Context, tx *sql.Tx, k tenant.SigningKey) error {
	if err := putSigningKey(ctx, tx, k); err != nil {
		return err
	}
	for _, s := range r.set.Survivors {
		if s.Hash().String() == k.SurvivorList {
			return putSurvivors(ctx, tx, s, r.now)
		}
	}
	return nil
}

// entry is a status entry's row.
type entry struct {
	value  statuslist.Value
	tenant string
	ref    []byte
	lost   bool

	created, updated time.Time // of the stamp
}

// shards finds entries that are set in the published shards but not in the rows.
func (r *reconciler) shards(ctx context.Context) error {
	for _, number := range slices.Sorted(maps.Keys(r.set.Shards)) {
		var known int
		if err := r.q.QueryRowContext(ctx, `SELECT count(*) FROM shards WHERE number = $1`, number).Scan(&known); err != nil {
			return fmt.Errorf("read shard %d: %w", number, err)
		}
		if known == 0 {
			r.add("lost_shard", fmt.Sprint(number), "the status shard was opened after the backup", func(ctx context.Context, tx *sql.Tx) error {
				return insertShard(ctx, tx, number, "closed")
			})
		}
		if err := r.entries(ctx, number); err != nil {
			return err
		}
	}
	return nil
}

func (r *reconciler) entries(ctx context.Context, shard uint16) error {
	have, err := shardEntries(ctx, r.q, shard)
	if err != nil {
		return err
	}
	published := r.set.Shards[shard]
	for i := range statuslist.Entries {
		number := uint16(i)
		want := published.Get(number)
		row, ok := have[number]
		dead := want == statuslist.Revoked || want == statuslist.Replaced
		switch {
		case want == statuslist.None:
		case !ok || row.lost && dead && row.value == statuslist.Suspended:
			r.add("lost_entry", fmt.Sprintf("%d/%d", shard, number), "set for a stamp that was made after the backup", func(ctx context.Context, tx *sql.Tx) error {
				return putLostEntry(ctx, tx, shard, number, want)
			})
		case row.lost:
		case !r.older(row.created.Truncate(time.Second)): // sets count whole seconds
			if dead {
				r.add("reused_entry", referenceText(row.ref), "its entry was that of a stamp made after the backup, which was revoked", nil)
			}
		case dead && row.value != statuslist.Revoked && row.value != statuslist.Replaced:
			r.add("lost_revocation", referenceText(row.ref), "the stamp was revoked or replaced after the backup", r.act(row, shard, number, stamp.ActionRevoke))
		case want == statuslist.Suspended && row.value == statuslist.None && r.older(row.updated):
			r.add("lost_suspension", referenceText(row.ref), "the stamp was suspended after the backup", r.act(row, shard, number, stamp.ActionSuspend))
		}
	}
	return nil
}

func shardEntries(ctx context.Context, q queryer, shard uint16) (map[uint16]entry, error) {
	out := make(map[uint16]entry)
	_, err := all(ctx, q, func(r scanner) (struct{}, error) {
		var number uint16
		var e entry
		var created, updated int64
		err := r.Scan(&number, &e.value, &e.tenant, &e.ref, &created, &updated)
		e.lost, e.created, e.updated = e.tenant == "", fromMS(created), fromMS(updated)
		out[number] = e
		return struct{}{}, err
	}, `SELECT e.entry, e.value, e.tenant, e.reference, coalesce(s.created_at, 0), coalesce(s.updated_at, 0)
		FROM status_entries e LEFT JOIN stamps s ON s.tenant = e.tenant AND s.reference = e.reference WHERE e.shard = $1
		UNION ALL SELECT entry, value, '', NULL, 0, 0 FROM lost_entries WHERE shard = $1`, shard)
	return out, wrap(err, "read shard %d", shard)
}

func putLostEntry(ctx context.Context, tx *sql.Tx, shard, number uint16, v statuslist.Value) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO lost_entries (shard, entry, value) VALUES ($1, $2, $3)
		ON CONFLICT (shard, entry) DO UPDATE SET value = excluded.value`, shard, number, v)
	if err != nil {
		return err
	}
	// No later stamp may get the entry.
	_, err = tx.ExecContext(ctx, `UPDATE shards SET state = 'closed' WHERE number = $1 AND state <> 'closed'`, shard)
	if err != nil {
		return err
	}
	return changeShard(ctx, tx, shard)
}

// act returns the function that revokes or suspends a stamp again.
func (r *reconciler) act(e entry, shard, number uint16, a stamp.Action) func(context.Context, *sql.Tx) error {
	return func(ctx context.Context, tx *sql.Tx) error {
		ev := stamp.Event{Action: a, Reason: reasonRestored, At: r.now}
		var id, document string
		err := tx.QueryRowContext(ctx, `SELECT id, status, document FROM stamps WHERE tenant = $1 AND reference = $2`, e.tenant, e.ref).Scan(&id, &ev.From, &document)
		if err != nil {
			return noStamp(err)
		}
		if ev.To, err = ev.From.Next(a); err != nil || ev.To == ev.From {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE stamps SET status = $1, reason = $2, updated_at = $3 WHERE tenant = $4 AND id = $5`,
			ev.To, ev.Reason, ms(r.now), e.tenant, id)
		if err != nil {
			return err
		}
		if err := stampHistory.add(ctx, tx, e.tenant, id, ev); err != nil {
			return err
		}
		audit := &tenant.Entry{Tenant: e.tenant, By: r.by, Action: "stamp." + string(a), Subject: id, At: r.now}
		if err := insertAudit(ctx, tx, audit.With("because", "restore")); err != nil {
			return err
		}
		if document != "" {
			if err := r.actOnOwner(ctx, tx, e.tenant, document, a); err != nil {
				return err
			}
		}
		return setEntry(ctx, tx, shard, number, ev.To.Entry(false))
	}
}
