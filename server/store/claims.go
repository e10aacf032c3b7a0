package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tcode/server/verify"
)

// insertClaim stores a claim. If there is one with its id already, insertClaim returns
// that one.
func (s syncTx) insertClaim(ctx context.Context, row verify.ScanRow) (*verify.ScanRow, error) {
	var digest []byte
	var scannedAt int64
	err := s.tx.QueryRowContext(ctx, `SELECT digest, scanned_at FROM scan_claims WHERE scanner_id = $1 AND scan_id = $2 ORDER BY id LIMIT 1`,
		row.ScannerID, row.Item.ScanID).Scan(&digest, &scannedAt)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, s.addClaim(ctx, row)
	}
	if err != nil {
		return nil, fmt.Errorf("look for claim: %w", err)
	}
	first := row
	copy(first.Digest[:], digest)
	first.Item.ScannedAt = fromMS(scannedAt)
	return &first, nil
}

// addClaim stores a claim, once.
func (s syncTx) addClaim(ctx context.Context, row verify.ScanRow) error {
	_, err := s.tx.ExecContext(ctx, `
		INSERT INTO scan_claims (scanner_id, scan_id, digest, canonical, scanned_at, received_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (scanner_id, scan_id, digest) DO NOTHING`,
		row.ScannerID, row.Item.ScanID, row.Digest[:], row.Item.AppendCanonical(nil), ms(row.Item.ScannedAt), ms(row.ReceivedAt))
	return wrap(err, "insert claim")
}

// everyClient is the name of the budget of all clients together; no client has this name.
const everyClient = ""

func (s syncTx) ClaimBytes(ctx context.Context, client string, kind verify.ClaimKind, since time.Time) (own, all int64, err error) {
	err = s.tx.QueryRowContext(ctx, `
		SELECT CAST(coalesce(max(bytes) FILTER (WHERE client = $1), 0) AS BIGINT), CAST(coalesce(max(bytes) FILTER (WHERE client = $2), 0) AS BIGINT)
		FROM claim_budgets WHERE client IN ($1, $2) AND kind = $3 AND since >= $4`,
		client, everyClient, string(kind), ms(since)).Scan(&own, &all)
	return own, all, err
}

func (s syncTx) AddClaimBytes(ctx context.Context, client string, kind verify.ClaimKind, n int64, since, now time.Time) error {
	if n == 0 {
		return nil
	}
	for _, name := range []string{client, everyClient} {
		if _, err := s.tx.ExecContext(ctx, `
			INSERT INTO claim_budgets AS b (client, kind, bytes, since) VALUES ($1, $2, $3, $4)
			ON CONFLICT (client, kind) DO UPDATE SET
				bytes = excluded.bytes + CASE WHEN b.since >= $5 THEN b.bytes ELSE 0 END,
				since = CASE WHEN b.since >= $5 THEN b.since ELSE excluded.since END`, name, string(kind), n, ms(now), ms(since)); err != nil {
			return err
		}
	}
	return nil
}

// ExpireClaims deletes old claims. A budget begins again a day after it began;
// older claims are deleted within another day, so that at most twice the budget is
// stored.
func (d *DB) ExpireClaims(ctx context.Context, before time.Time) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		for _, old := range []string{`DELETE FROM scan_claims WHERE received_at < $1`, `DELETE FROM claim_budgets WHERE since < $1`} {
			if _, err := tx.ExecContext(ctx, old, ms(before)); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap(err, "delete old claims")
}
