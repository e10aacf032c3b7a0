package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"tcode/offline/payload"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// historySteps are the numbers of rows that one statement of the history inserts: a
// hundred together cost a fourth of a hundred alone, and three statements stay prepared
// where one for every number would not.
var historySteps = [...]int{100, 10, 1}

// historyColumns is the number of inserted columns.
const historyColumns = 10

// historyInsert is the statement for a number of rows of history.
func historyInsert(rows int, anonymous bool) string {
	in := insertion{into: `verifications (tenant, kind, reference, verdict, method, viewer_key, verified_at, test, scanner_id, location)`, anonymous: anonymous}
	for range rows {
		in.row(make([]any, historyColumns)...)
	}
	return in.text()
}

// AddVerifications appends to the history, in one commit. It leaves out places of records that are
// erased by now: an entry may have waited for long.
func (d *DB) AddVerifications(ctx context.Context, entries []verify.Entry) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		erased, err := d.erasedPlaces(ctx, tx, entries)
		if err != nil {
			return err
		}
		days := dayTally{}
		for i := range entries {
			e := &entries[i]
			days.count(e.Tenant, testKind(tenant.KindVerifications, e.Test), e.VerifiedAt)
		}
		if err := days.write(ctx, tx, d.anyPart(tallyParts)); err != nil {
			return err
		}
		rest := entries
		args := make([]any, 0, historyColumns*min(len(entries), historySteps[0]))
		for _, step := range historySteps {
			if len(rest) < step {
				continue
			}
			insert := historyInsert(step, d.isLite())
			for len(rest) >= step {
				args = args[:0]
				for i := range rest[:step] { // plain types: others are slower, through reflection
					e := &rest[i]
					location := e.Location
					if erased[e.Reference] {
						location = ""
					}
					args = append(args, e.Tenant, string(cmp.Or(e.Kind, verify.OfStamp)), e.Reference[:], string(e.Verdict), string(e.Method), e.ViewerKey, ms(e.VerifiedAt), one(e.Test),
						e.ScannerID, location)
				}
				if _, err := tx.ExecContext(ctx, insert, args...); err != nil {
					return err
				}
				rest = rest[step:]
			}
		}
		return nil
	})
	return wrap(err, "add verifications")
}

// erasedPlaces returns the references of erased stamps that entries with a place are about.
// Entries about Trust documents have no place.
func (d *DB) erasedPlaces(ctx context.Context, tx *sql.Tx, entries []verify.Entry) (map[payload.Reference]bool, error) {
	var refs []payload.Reference
	for _, e := range entries {
		if e.Location != "" {
			refs = append(refs, e.Reference)
		}
	}
	if len(refs) == 0 {
		return nil, nil
	}
	if err := d.beforeErasure(ctx, tx); err != nil {
		return nil, err
	}
	erased := map[payload.Reference]bool{}
	for some := range slices.Chunk(refs, historySteps[0]) {
		marks, args := inList(some, 0, func(r payload.Reference) any { return r[:] })
		found, err := all(ctx, tx, scanBytes, `SELECT reference FROM stamps WHERE reference IN (`+marks+`) AND erased_at <> 0`, args...)
		if err != nil {
			return nil, wrap(err, "look for erased stamps")
		}
		for _, raw := range found {
			erased[payload.Reference(raw)] = true
		}
	}
	return erased, nil
}

func scanBytes(r scanner) (b []byte, err error) {
	err = r.Scan(&b)
	return b, err
}

// testKind returns the kind under which a look-up is counted by day.
func testKind(k tenant.Kind, test bool) tenant.Kind {
	if test {
		return "test_" + k
	}
	return k
}

// history selects verifications of one tenant.
func history(tenantRef string, f verify.HistoryFilter) *where {
	w := new(where)
	w.and("v.tenant = ?", tenantRef)
	w.and("v.kind = ?", string(f.Kind))
	if f.Test {
		w.and("v.test = 1") // as in the index
	}
	if !f.From.IsZero() {
		w.and("v.verified_at >= ?", ms(f.From))
	}
	if !f.To.IsZero() {
		w.and("v.verified_at < ?", ms(f.To))
	}
	return w
}

// historyPage is the query of one page. It looks up the tenants of keys only for the
// page's rows.
const historyPage = `
	SELECT p.id, p.reference, p.verdict, p.method, p.verified_at, p.test, p.scanner_id, p.location,
		coalesce((SELECT k.prefix FROM api_keys k WHERE k.prefix = p.viewer_key AND k.tenant = $1), '')
	FROM (SELECT v.id, v.reference, v.verdict, v.method, v.verified_at, v.test, v.viewer_key,
		v.scanner_id, v.location FROM verifications v
		WHERE %s ORDER BY v.verified_at DESC, v.id DESC LIMIT $%d OFFSET $%d) AS p
	ORDER BY p.verified_at DESC, p.id DESC`

// Verifications returns one page of a tenant's history.
func (d *DB) Verifications(
	ctx context.Context, tenantRef string, f verify.HistoryFilter, p verify.Page,
) (verify.HistoryPage, error) {
	out := verify.HistoryPage{Page: p}
	w := history(tenantRef, f)
	err := d.read(ctx, tenantRef, func(q queryer) (err error) {
		if out.TotalCount, out.TotalIsLowerBound, err = d.count(ctx, q, "verifications v", w); err != nil {
			return fmt.Errorf("count verifications: %w", err)
		}
		out.Items, err = all(ctx, q, func(r scanner) (e verify.Entry, err error) {
			var reference []byte
			var at, test int64
			err = r.Scan(&e.ID, &reference, &e.Verdict, &e.Method, &at, &test, &e.ScannerID, &e.Location, &e.ViewerKey)
			copy(e.Reference[:], reference)
			e.Tenant, e.Kind, e.VerifiedAt, e.Test = tenantRef, f.Kind, fromMS(at), test != 0
			return e, err
		}, fmt.Sprintf(historyPage, w, len(w.args)+1, len(w.args)+2),
			append(w.args, p.Size, (p.Number-1)*p.Size)...)
		return err
	})
	return out, wrap(err, "list verifications")
}

// Tallies counts the newest verifications of one stamp or document by verdict, at most
// limit of them.
func (d *DB) Tallies(ctx context.Context, tenantRef string, kind verify.Kind, reference [10]byte, limit int) (ts []verify.Tally, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		ts, err = all(ctx, q, func(r scanner) (t verify.Tally, err error) {
			var last int64
			err = r.Scan(&t.Verdict, &t.Count, &last)
			t.Last = fromMS(last)
			return t, err
		}, fmt.Sprintf(`SELECT verdict, count(*), max(verified_at) FROM (
			SELECT v.verdict, v.verified_at FROM verifications v WHERE v.tenant = $1 AND v.kind = $2 AND v.reference = $3 ORDER BY v.verified_at DESC LIMIT %d) AS t
			GROUP BY verdict ORDER BY verdict`, limit), tenantRef, string(kind), reference[:])
		return err
	})
	return ts, wrap(err, "count verifications of a reference")
}
