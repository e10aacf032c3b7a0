package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"
	"golang.org/x/text/unicode/norm"

	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
)

// foldNames is migration 00051: names are found without accents, names in any normal form
// of Unicode are the same, and a bulk job keeps the names that its files do not have in
// common in place of warnings, which said the same for people.
func foldNames(dialect goose.Dialect) *goose.Migration {
	text := "TEXT"
	if dialect == goose.DialectPostgres {
		text += ` COLLATE "C"`
	}
	return goose.NewGoMigration(51, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `ALTER TABLE bulk_jobs ADD COLUMN unmatched `+text+` NOT NULL DEFAULT '{}'`); err != nil {
			return fmt.Errorf("names of bulk jobs: %w", err)
		}
		if _, err := tx.ExecContext(ctx, `ALTER TABLE bulk_jobs DROP COLUMN warnings`); err != nil {
			return fmt.Errorf("warnings of bulk jobs: %w", err)
		}
		for _, p := range []parts{stampParts, documentParts} {
			if err := p.foldWords(ctx, tx); err != nil {
				return err
			}
		}
		if err := stampTwins(ctx, tx); err != nil {
			return err
		}
		return documentTwins(ctx, tx)
	}}, nil)
}

// foldedAtOnce is the number of rows of which foldNames reads a part at a time.
const foldedAtOnce = 1000

// A spelling is a word of a tenant's names.
type spelling struct{ tenant, word string }

// foldWords folds the words by which names are found. Most are folded already.
func (p parts) foldWords(ctx context.Context, tx *sql.Tx) error {
	words, owner := string(p)+"_words", string(p)+"_id"
	for last := (spelling{}); ; {
		found, err := all(ctx, tx, func(r scanner) (s spelling, err error) { return s, r.Scan(&s.tenant, &s.word) },
			`SELECT DISTINCT tenant, word FROM `+words+` WHERE (tenant, word) > ($1, $2) ORDER BY tenant, word LIMIT $3`, last.tenant, last.word, foldedAtOnce)
		if err != nil {
			return fmt.Errorf("read words: %w", err)
		}
		if len(found) == 0 {
			return nil
		}
		for _, s := range found {
			if last = s; folded(s.word) == s.word {
				continue
			}
			for _, w := range wordsOf(s.word) {
				if _, err := tx.ExecContext(ctx, `INSERT INTO `+words+` (tenant, word, created_at, `+owner+`)
					SELECT tenant, CAST($3 AS TEXT), created_at, `+owner+` FROM `+words+` WHERE tenant = $1 AND word = $2 ON CONFLICT DO NOTHING`, s.tenant, s.word, w); err != nil {
					return fmt.Errorf("fold words: %w", err)
				}
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+words+` WHERE tenant = $1 AND word = $2`, s.tenant, s.word); err != nil {
				return fmt.Errorf("fold words: %w", err)
			}
		}
	}
}

// An owner is a stamp or a document.
type owner struct{ tenant, id string }

// decomposed returns the owners of values, in a table with columns of tenant and owner, that are
// not composed: few are.
func decomposed(ctx context.Context, tx *sql.Tx, table, id, value string) (map[owner]bool, error) {
	type row struct {
		owner
		value string
	}
	out := map[owner]bool{}
	for last := (owner{}); ; {
		// Only text with characters outside of ASCII can be decomposed.
		found, err := all(ctx, tx, func(r scanner) (one row, err error) { return one, r.Scan(&one.tenant, &one.id, &one.value) },
			`SELECT t.tenant, t.`+id+`, t.`+value+` FROM `+table+` t
			JOIN (SELECT DISTINCT tenant, `+id+` FROM `+table+` WHERE (tenant, `+id+`) > ($1, $2) AND octet_length(`+value+`) > length(`+value+`)
				ORDER BY tenant, `+id+` LIMIT $3) few ON few.tenant = t.tenant AND few.`+id+` = t.`+id+` ORDER BY t.tenant, t.`+id, last.tenant, last.id, foldedAtOnce)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", table, err)
		}
		if len(found) == 0 {
			return out, nil
		}
		for _, r := range found {
			if last = r.owner; !norm.NFC.IsNormalString(r.value) {
				out[r.owner] = true
			}
		}
	}
}

// stampTwins computes the keys of stamps again whose values are not composed.
func stampTwins(ctx context.Context, tx *sql.Tx) error {
	owners, err := decomposed(ctx, tx, "stamp_fields", "stamp_id", "value")
	if err != nil {
		return err
	}
	for o := range owners {
		var st stamp.Stamp
		if st.Values, err = stampParts.values(ctx, tx, o.tenant, o.id); err != nil {
			return err
		}
		err := tx.QueryRowContext(ctx, `SELECT tdoc_template_id, external_id, test FROM stamps WHERE tenant = $1 AND id = $2`, o.tenant, o.id).
			Scan(&st.TdocTemplateID, &st.ExternalID, &st.Test)
		if err != nil {
			return fmt.Errorf("read stamp %s: %w", o.id, err)
		}
		if err := setTwin(ctx, tx, "stamps", "<> 'Revoked'", o, st.Twin()); err != nil {
			return err
		}
	}
	return nil
}

// documentTwins is stampTwins for documents, whose recipient is a part of the key.
func documentTwins(ctx context.Context, tx *sql.Tx) error {
	owners, err := decomposed(ctx, tx, "document_fields", "document_id", "value")
	if err != nil {
		return err
	}
	named, err := decomposed(ctx, tx, "documents", "id", "recipient_name")
	if err != nil {
		return err
	}
	for o := range named {
		owners[o] = true
	}
	for o := range owners {
		var d trustdoc.Document
		if d.Values, err = documentParts.values(ctx, tx, o.tenant, o.id); err != nil {
			return err
		}
		err := tx.QueryRowContext(ctx, `SELECT template_id, recipient_name, external_id, test FROM documents WHERE tenant = $1 AND id = $2`, o.tenant, o.id).
			Scan(&d.TemplateID, &d.RecipientName, &d.ExternalID, &d.Test)
		if err != nil {
			return fmt.Errorf("read document %s: %w", o.id, err)
		}
		if err := setTwin(ctx, tx, "documents", "IN ('Active', 'Suspended')", o, d.Twin()); err != nil {
			return err
		}
	}
	return nil
}

// setTwin stores the key of a stamp or a document that has one. If another one of these
// statuses has it, both stay as they are.
func setTwin(ctx context.Context, tx *sql.Tx, table, statuses string, o owner, twin []byte) error {
	_, err := tx.ExecContext(ctx, `UPDATE `+table+` SET twin = $1 WHERE tenant = $2 AND id = $3 AND twin IS NOT NULL AND NOT EXISTS (
		SELECT 1 FROM `+table+` o WHERE o.tenant = $2 AND o.twin = $1 AND o.status `+statuses+`)`, twin, o.tenant, o.id)
	return wrap(err, "store key of %s", o.id)
}
