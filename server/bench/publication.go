package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"tcode/offline/payload"
	"tcode/server/store/storetest"
)

// revocations are those of each database whose publication is measured, one after another.
const revocations = 20

// publications measures at each scale how long a revocation waits for its publication.
func publications(ctx context.Context, e storetest.Engine, scales []scale, gateways []*process) (rows []row, err error) {
	for i, s := range scales {
		r := row{Engine: string(e), Stamps: s.stamps, Case: publishing, Server: roleGateway}
		err := with(ctx, func(h *host) error {
			took, err := revokeSome(ctx, storetest.Raw(h, s.dir), s.data, gateways[i])
			if err != nil {
				return err
			}
			r.fill([]sample{took})
			memory, err := gateways[i].rss()
			r.RSS = float64(memory) / (1 << 20)
			return err
		})
		if err != nil {
			return rows, fmt.Errorf("%d stamps, publication: %w", s.stamps, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// revokeSome revokes some of the stamps of d. The gateway has published everything before.
func revokeSome(ctx context.Context, db *sql.DB, d *data, gateway *process) (s sample, err error) {
	err = published(ctx, db, `SELECT count(*) FROM shards WHERE changed <> published`, 10*time.Minute)
	if err != nil {
		return s, err
	}
	before, err := gateway.cpu()
	if err != nil {
		return s, err
	}
	begin := time.Now()
	for _, ref := range d.refs[:min(revocations, len(d.refs))] {
		var id string
		var shard int
		parsed, err := payload.ParseReference(ref)
		if err != nil {
			return s, err
		}
		if err := db.QueryRowContext(ctx, `SELECT id, shard FROM stamps WHERE reference = $1`, parsed[:]).Scan(&id, &shard); err != nil {
			return s, err
		}
		l := load{requests: [][]byte{post("/v1/tcode/stamps/"+id+"/revoke", []byte(`{"reason":"bench"}`), "x-api-key: "+d.key)}}
		if _, err := gateway.connection(ctx, l, 0, 1, time.Time{}); err != nil {
			return s, err
		}
		revoked := time.Now()
		err = published(ctx, db, fmt.Sprintf(`SELECT count(*) FROM shards WHERE changed <> published AND number = %d`, shard), patience)
		if err != nil {
			return s, err
		}
		s.latencies = append(s.latencies, time.Since(revoked))
	}
	s.took = time.Since(begin)
	after, err := gateway.cpu()
	s.cpu = after - before
	return s, err
}

// published waits until a query counts nothing that is still to be published.
func published(ctx context.Context, db *sql.DB, query string, patience time.Duration) error {
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		var left int
		if err := db.QueryRowContext(ctx, query).Scan(&left); err != nil || left == 0 {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d shards are not published after %v", left, patience)
		}
	}
}
