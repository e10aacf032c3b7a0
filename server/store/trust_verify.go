package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"tcode/offline/digest"
	"tcode/server/issue/trustdoc"
	"tcode/server/verify"
)

var _ verify.DocumentStore = (*DB)(nil)

// documentRecordColumns is all data for a verdict on a document except its
// values.
var documentRecordColumns = "s." + strings.ReplaceAll(strings.Join(strings.Fields(documentRead), " "), ", ", ", s.") +
	`, t.reference, t.name, t.state, k.algorithm, k.public, coalesce(d.names, ''), coalesce(d.field_labels, '')`

const documentRecordTables = `documents s JOIN tenants t ON t.reference = s.tenant JOIN signing_keys k ON k.tenant = s.tenant AND k.seq = s.key_seq
	LEFT JOIN document_types d ON d.code = s.document_type`

func (d *DB) documentRecord(ctx context.Context, r scanner) (rec verify.DocumentRecord, err error) {
	var into documentRow
	var alg, names, labels string
	var public []byte
	dest := append(into.dest(&rec.Document), &rec.Issuer.Reference, &rec.Issuer.Name, &rec.Issuer.State, &alg, &public, &names, &labels)
	if err := r.Scan(dest...); err != nil {
		return rec, err
	}
	if err := into.fill(&rec.Document); err != nil {
		return rec, err
	}
	if rec.Key, err = d.keys.parse(alg, public); err != nil {
		return rec, fmt.Errorf("key of document %s: %w", rec.Document.ID, err)
	}
	if rec.Kind, err = d.kinds.read(rec.Document.DocumentType, names, labels); err != nil {
		return rec, err
	}
	rec.Document.Values, err = documentParts.values(ctx, d.hot, rec.Document.Tenant, rec.Document.ID)
	return rec, err
}

// DocumentByReference returns the data for a verdict on a document.
func (d *DB) DocumentByReference(ctx context.Context, ref trustdoc.Reference) (verify.DocumentRecord, error) {
	rec, err := d.documentRecord(ctx, d.hot.QueryRowContext(ctx, `SELECT `+documentRecordColumns+` FROM `+documentRecordTables+` WHERE s.reference = $1`, ref[:]))
	return rec, noDocument(err)
}

// newestDocument is the query of a PDF's newest document that is active at a time, or else
// of the newest. The index ends with the newest of each status.
func newestDocument(of, now string) string {
	newest := []string{fmt.Sprintf(`
		SELECT * FROM (SELECT reference, created_at, id, 0 AS rank FROM documents WHERE %s AND status = 'Active' AND (expires_at = 0 OR expires_at > %s)
			ORDER BY created_at DESC, id DESC LIMIT 1) AS s0`, of, now)}
	for i, status := range []trustdoc.Status{trustdoc.Active, trustdoc.Suspended, trustdoc.Revoked, trustdoc.Expired} {
		newest = append(newest, fmt.Sprintf(`
			SELECT * FROM (SELECT reference, created_at, id, 1 AS rank FROM documents WHERE %s AND status = '%s'
				ORDER BY created_at DESC, id DESC LIMIT 1) AS s%d`, of, status, i+1))
	}
	return `SELECT ` + documentRecordColumns + ` FROM ` + documentRecordTables + ` WHERE s.reference = (
		SELECT reference FROM (` + strings.Join(newest, " UNION ALL") + `) AS u ORDER BY rank, created_at DESC, id DESC LIMIT 1)`
}

// DocumentByHash returns the document of a file or of a canonical text, which
// belongs to one document alone: it names the reference.
func (d *DB) DocumentByHash(ctx context.Context, sha256 digest.SHA256, now time.Time) (verify.DocumentRecord, verify.MatchedOn, int, error) {
	none := verify.DocumentRecord{}
	rec, err := d.documentRecord(ctx, d.hot.QueryRowContext(ctx,
		`SELECT `+documentRecordColumns+` FROM `+documentRecordTables+` WHERE s.content_sha256 = $1`, sha256[:]))
	if !errors.Is(err, sql.ErrNoRows) {
		return rec, verify.OnContent, 1, wrap(err, "look up content")
	}
	of := new(where)
	of.and("s.stamped_sha256 = ?", sha256[:])
	on := verify.OnStamped
	rec, err = d.documentRecord(ctx, d.hot.QueryRowContext(ctx, newestDocument("stamped_sha256 = $1", "$2"), append(of.args, ms(now))...))
	if errors.Is(err, sql.ErrNoRows) {
		if of, err = d.ofOriginal(ctx, "documents", sha256); err != nil {
			return none, "", 0, noDocument(err)
		}
		on = verify.OnOriginal
		rec, err = d.documentRecord(ctx, d.hot.QueryRowContext(ctx,
			newestDocument("original_sha256 = $1 AND test = $2 AND tenant = $3", "$4"), append(of.args, ms(now))...))
	}
	if err != nil {
		return none, "", 0, fmt.Errorf("look up file: %w", err)
	}
	n, _, err := d.count(ctx, d.hot, "documents s", of)
	return rec, on, n, wrap(err, "count file")
}
