package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tcode/offline/digest"
	"tcode/server/publish"
	"tcode/server/refdata"
	"tcode/server/store/pgdb"
	"tcode/server/tenant"
)

var _ publish.Store = (*DB)(nil)

// wantStatus counts a change of the status list. Every transaction with such a change
// calls it.
func wantStatus(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(pgdb.Later(ctx), `UPDATE trust_head SET wanted = wanted + 1 WHERE id = 1`)
	return wrap(err, "count change")
}

// wantBundle counts a change of tenants, signing keys or document types.
func wantBundle(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(pgdb.Later(ctx), `UPDATE trust_head SET wanted = wanted + 1, bundle_wanted = bundle_wanted + 1 WHERE id = 1`)
	return wrap(err, "count change")
}

// Publication runs fn in one transaction that runs concurrently with no other publication, and
// with no change of the published data: SQLite has one writer, and on PostgreSQL every such
// change holds the head's row until it commits. Changes lock their shard first and the head last,
// and so does Publication: a shard that changed between the two is left to the next publication.
// It also makes and opens shards.
func (d *DB) Publication(ctx context.Context, fn func(publish.Tx) error) error {
	return d.write(ctx, everyone, func(tx *sql.Tx) error {
		p := publication{tx: tx}
		if err := d.keepShards(ctx, tx); err != nil {
			return err
		}
		if d.forUpdate != "" {
			locked, err := all(ctx, tx, scanNumber, `SELECT number FROM shards WHERE changed <> published ORDER BY number FOR NO KEY UPDATE`)
			if err != nil {
				return fmt.Errorf("lock changed shards: %w", err)
			}
			if _, err := tx.ExecContext(ctx, `SELECT id FROM trust_head WHERE id = 1 FOR UPDATE`); err != nil {
				return fmt.Errorf("lock trust head: %w", err)
			}
			p.locked = map[uint16]bool{}
			for _, number := range locked {
				p.locked[number] = true
			}
		}
		if err := fn(p); err != nil {
			return err
		}
		return d.keepShards(ctx, tx)
	})
}

func scanNumber(r scanner) (number uint16, err error) {
	err = r.Scan(&number)
	return number, err
}

// Head returns the state after the last publication.
func (d *DB) Head(ctx context.Context) (publish.Head, error) { return head(ctx, d.hot) }

func head(ctx context.Context, q queryer) (h publish.Head, err error) {
	var at, bundleExpires, statusExpires int64
	var bundleSHA, statusSHA, deltaSHA []byte
	err = q.QueryRowContext(ctx, `
		SELECT wanted, published, at, version, online_since, (SELECT coalesce(max(version), 0) FROM trust_roots),
			bundle_wanted, bundle_published, bundle_version, bundle_sha256, bundle_expires,
			status_version, status_sha256, status_expires, timestamp, delta_since, delta_sha256
		FROM trust_head WHERE id = 1`).Scan(&h.Wanted, &h.Published, &at, &h.Version, &h.Since, &h.Root,
		&h.BundleWanted, &h.BundlePublished, &h.Bundle.Version, &bundleSHA, &bundleExpires, &h.Status.Version, &statusSHA, &statusExpires, &h.Timestamp, &h.Delta.Since, &deltaSHA)
	h.At, h.Bundle.Expires, h.Status.Expires = fromMS(at), fromMS(bundleExpires), fromMS(statusExpires)
	copy(h.Bundle.SHA256[:], bundleSHA)
	copy(h.Status.SHA256[:], statusSHA)
	copy(h.Delta.SHA256[:], deltaSHA)
	return h, wrap(err, "read trust head")
}

// Object returns a published object.
func (d *DB) Object(ctx context.Context, sha256 digest.SHA256) (publish.Object, error) {
	return object(ctx, d.hot, sha256)
}

func object(ctx context.Context, q queryer, sha256 digest.SHA256) (publish.Object, error) {
	o := publish.Object{SHA256: sha256}
	err := q.QueryRowContext(ctx, `SELECT data, content_type FROM trust_objects WHERE sha256 = $1`, sha256[:]).
		Scan(&o.Data, &o.ContentType)
	return o, notFound(err, "read trust object", "there is no such trust document")
}

// Roots returns all root versions in order.
func (d *DB) Roots(ctx context.Context) ([][]byte, error) { return roots(ctx, d.hot) }

func roots(ctx context.Context, q queryer) ([][]byte, error) {
	rs, err := all(ctx, q, func(r scanner) (raw []byte, err error) {
		err = r.Scan(&raw)
		return raw, err
	}, `SELECT raw FROM trust_roots ORDER BY version`)
	return rs, wrap(err, "read trust roots")
}

// SecretNames returns the names of all secrets that begin with prefix.
func (d *DB) SecretNames(ctx context.Context, prefix string) ([]string, error) {
	names, err := all(ctx, d.hot, func(r scanner) (name string, err error) {
		err = r.Scan(&name)
		return name, err
	}, `SELECT name FROM secrets ORDER BY name`)
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, prefix) })
	return names, wrap(err, "read names of secrets")
}

// Secret returns a sealed secret, or nil.
func (d *DB) Secret(ctx context.Context, name string) ([]byte, error) {
	return secret(ctx, d.hot, name)
}

func secret(ctx context.Context, q queryer, name string) (sealed []byte, err error) {
	err = q.QueryRowContext(ctx, `SELECT sealed FROM secrets WHERE name = $1`, name).Scan(&sealed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return sealed, wrap(err, "read secret %s", name)
}

// PutSecret stores a sealed secret unless there is one, and returns the stored
// one.
func (d *DB) PutSecret(ctx context.Context, name string, sealed []byte) (stored []byte, err error) {
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO secrets (name, sealed) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, sealed)
		if err != nil {
			return err
		}
		stored, err = secret(ctx, tx, name)
		return err
	})
	return stored, wrap(err, "put secret %s", name)
}

// publication is the publisher's view of a transaction.
type publication struct {
	tx     *sql.Tx
	locked map[uint16]bool // shards that may be published; nil: all
}

func (p publication) Head(ctx context.Context) (publish.Head, error) { return head(ctx, p.tx) }

func (p publication) Restored(ctx context.Context) (bool, error) {
	r, err := restored(ctx, p.tx)
	return r != nil, err
}

func (p publication) Roots(ctx context.Context) ([][]byte, error) { return roots(ctx, p.tx) }

func (p publication) PutRoot(ctx context.Context, version uint64, raw []byte) error {
	_, err := p.tx.ExecContext(ctx, `INSERT INTO trust_roots (version, raw) VALUES ($1, $2)`, version, raw)
	return wrap(err, "put trust root %d", version)
}

func (p publication) DropSecrets(ctx context.Context, names ...string) error {
	for _, name := range names {
		if _, err := p.tx.ExecContext(ctx, `DELETE FROM secrets WHERE name = $1`, name); err != nil {
			return fmt.Errorf("delete secret %s: %w", name, err)
		}
	}
	return nil
}

func (p publication) Audit(ctx context.Context, e *tenant.Entry) error {
	return insertAudit(ctx, p.tx, e)
}

func (p publication) Tenants(ctx context.Context) ([]tenant.Tenant, error) {
	return tenants(ctx, p.tx)
}

func (p publication) SigningKeys(ctx context.Context, tenantRef string) ([]tenant.SigningKey, error) {
	return signingKeys(ctx, p.tx, tenantRef)
}

func (p publication) DocumentTypes(ctx context.Context) ([]refdata.DocumentType, error) {
	return documentTypes(ctx, p.tx)
}

// PutObject stores an object. If a shard returns to an earlier content, the object is live
// again.
func (p publication) PutObject(ctx context.Context, o publish.Object, now time.Time) error {
	_, err := p.tx.ExecContext(pgdb.Later(ctx), `
		INSERT INTO trust_objects (sha256, content_type, data, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (sha256) DO UPDATE SET superseded_at = 0`,
		o.SHA256[:], o.ContentType, o.Data, ms(now))
	return wrap(err, "put trust object")
}

// Supersede marks objects that nothing names any more.
func (p publication) Supersede(ctx context.Context, h publish.Head, now time.Time, objects ...digest.SHA256) error {
	for _, o := range objects {
		if o == h.Bundle.SHA256 || o == h.Status.SHA256 || o == h.Delta.SHA256 {
			continue
		}
		_, err := p.tx.ExecContext(pgdb.Later(ctx), `
			UPDATE trust_objects SET superseded_at = $1 WHERE sha256 = $2 AND superseded_at = 0
				AND NOT EXISTS (SELECT 1 FROM shards WHERE sha256 = $2) AND NOT EXISTS (SELECT 1 FROM packs WHERE sha256 = $2)`,
			ms(now), o[:])
		if err != nil {
			return fmt.Errorf("supersede trust object: %w", err)
		}
	}
	return nil
}

func (p publication) SetHead(ctx context.Context, h publish.Head, keep time.Time) error {
	_, err := p.tx.ExecContext(pgdb.Later(ctx), `
		UPDATE trust_head SET published = $1, at = $2, version = $3,
			bundle_version = $4, bundle_sha256 = $5, bundle_expires = $6, bundle_published = $7,
			status_version = $8, status_sha256 = $9, status_expires = $10, timestamp = $11, online_since = $12,
			delta_since = $13, delta_sha256 = $14
		WHERE id = 1`,
		h.Published, ms(h.At), h.Version, h.Bundle.Version, h.Bundle.SHA256[:], ms(h.Bundle.Expires), h.BundlePublished,
		h.Status.Version, h.Status.SHA256[:], ms(h.Status.Expires), h.Timestamp, h.Since, h.Delta.Since, h.Delta.SHA256[:])
	if err != nil {
		return fmt.Errorf("set trust head: %w", err)
	}
	_, err = p.tx.ExecContext(pgdb.Later(ctx), `DELETE FROM trust_objects WHERE superseded_at <> 0 AND superseded_at < $1`, ms(keep))
	return wrap(err, "delete old trust objects")
}
