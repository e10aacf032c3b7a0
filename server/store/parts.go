package store

import (
	"context"
	"database/sql"
	"time"

	"tcode/offline/payload"
	"tcode/server/issue/stamp"
	"tcode/server/store/pgdb"
)

// parts names the tables of the parts of a stamp or a document: the values of its
// fields, its files, and the words that it is found by.
type parts string

const (
	stampParts    parts = "stamp"
	documentParts parts = "document"
)

// insert stores the parts of a new row; text is what the words are of.
func (p parts) insert(ctx context.Context, tx *sql.Tx, tenantRef, id string, at time.Time, values []payload.Field, files []stamp.File, text string) error {
	created, owner := ms(at), string(p)
	fields := insertion{into: owner + `_fields (tenant, ` + owner + `_id, key, value, position, created_at)`}
	for i, f := range values {
		fields.row(tenantRef, id, f.Key, f.Value, i, created)
	}
	words := insertion{into: owner + `_words (tenant, word, created_at, ` + owner + `_id)`}
	for _, w := range wordsOf(text) {
		words.row(tenantRef, w, created, id)
	}
	for _, in := range []insertion{fields, words} {
		if err := in.exec(pgdb.Later(ctx), tx); err != nil {
			return err
		}
	}
	return p.naming(ctx, tx, tenantRef, id, files)
}

// values returns the values of the fields in the order they were sent in.
func (p parts) values(ctx context.Context, q queryer, tenantRef, id string) ([]payload.Field, error) {
	fs, err := all(ctx, q, func(r scanner) (f payload.Field, err error) {
		err = r.Scan(&f.Key, &f.Value)
		return f, err
	}, `SELECT key, value FROM `+string(p)+`_fields WHERE tenant = $1 AND `+string(p)+`_id = $2 ORDER BY position`, tenantRef, id)
	return fs, wrap(err, "read fields of %s %s", p, id)
}

// files returns the files by their kinds.
func (p parts) files(ctx context.Context, q queryer, tenantRef, id string) ([]stamp.File, error) {
	fs, err := all(ctx, q, func(r scanner) (f stamp.File, err error) {
		err = r.Scan(&f.Kind, &f.SHA256, &f.SizeBytes, &f.ContentType, &f.FileName)
		return f, err
	}, `SELECT kind, sha256, size_bytes, content_type, file_name FROM `+string(p)+`_files WHERE tenant = $1 AND `+string(p)+`_id = $2 AND size_bytes >= 0 ORDER BY kind`, tenantRef, id)
	return fs, wrap(err, "read files of %s %s", p, id)
}
