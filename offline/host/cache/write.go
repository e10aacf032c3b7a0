package cache

import (
	"context"
	"database/sql"
	"fmt"

	"tcode/offline/trustbook"
)

// A writer writes one change within one transaction.
type writer struct {
	ctx context.Context
	tx  *sql.Tx
}

func (w writer) exec(query string, args ...any) error {
	_, err := w.tx.ExecContext(w.ctx, query, args...)
	return err
}

// change writes c over a content with the facts held.
func (w writer) change(held trustbook.Facts, c trustbook.Change) error {
	if c.Empty(held) {
		return nil
	}
	for _, step := range []func(trustbook.Change) error{w.delete, w.documents, w.status, w.survivors, w.remember} {
		if err := step(c); err != nil {
			return err
		}
	}
	return w.facts(held, c.Facts)
}

func (w writer) delete(c trustbook.Change) error {
	for _, t := range []struct {
		part trustbook.Parts
		name string
	}{
		{trustbook.PartDocuments, "documents"},
		{trustbook.PartDocuments, "packs"},
		{trustbook.PartDocuments, "survivors"},
		{trustbook.PartShards, "shards"},
		{trustbook.PartRemembered, "remembered"},
		{trustbook.PartRoots, "roots"},
	} {
		if c.Clear&t.part == 0 {
			continue
		}
		if err := w.exec(`DELETE FROM ` + t.name); err != nil {
			return err
		}
	}
	for _, name := range c.Drop {
		if err := w.exec(`DELETE FROM survivors WHERE sha256 = $1`, name); err != nil {
			return err
		}
	}
	return nil
}

func (w writer) documents(c trustbook.Change) error {
	for version, raw := range c.Roots {
		if err := w.exec(`INSERT INTO roots (version, note) VALUES ($1, $2)`, version, raw); err != nil {
			return err
		}
	}
	if c.Timestamp == nil {
		return nil
	}
	for kind, raw := range map[string][]byte{"timestamp": c.Timestamp, "bundle": c.Bundle, "status": c.Status} {
		err := w.exec(`INSERT INTO documents (kind, note) VALUES ($1, $2) ON CONFLICT (kind) DO UPDATE SET note = excluded.note`, kind, raw)
		if err != nil {
			return err
		}
	}
	return nil
}

func (w writer) status(c trustbook.Change) error {
	for number, data := range c.Packs {
		err := w.exec(`INSERT INTO packs (number, data) VALUES ($1, $2) ON CONFLICT (number) DO UPDATE SET data = excluded.data`, int(number), data)
		if err != nil {
			return err
		}
	}
	for number, s := range c.Shards {
		err := w.exec(`
			INSERT INTO shards (number, sha256, deflated) VALUES ($1, $2, $3)
			ON CONFLICT (number) DO UPDATE SET sha256 = excluded.sha256, deflated = excluded.deflated`, int(number), s.Hash[:], s.Deflated)
		if err != nil {
			return err
		}
	}
	return nil
}

func (w writer) survivors(c trustbook.Change) error {
	for name, raw := range c.Survivors {
		if err := w.exec(`INSERT INTO survivors (sha256, marks) VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING`, name, raw); err != nil {
			return err
		}
	}
	return nil
}

func (w writer) remember(c trustbook.Change) error {
	for _, core := range c.Remembered {
		err := w.exec(`INSERT INTO remembered (core, seen_at) VALUES ($1, $2) ON CONFLICT (core) DO NOTHING`, core[:], c.SeenAt.UnixMilli())
		if err != nil {
			return err
		}
	}
	return nil
}

// facts writes the rows that differ.
func (w writer) facts(held, next trustbook.Facts) error {
	for _, col := range columns {
		was, is := col.get(held), col.get(next)
		var err error
		switch {
		case was == is:
		case is == nil:
			err = w.exec(`DELETE FROM facts WHERE name = $1`, col.name)
		default:
			err = w.exec(`INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, col.name, is)
		}
		if err != nil {
			return fmt.Errorf("fact %s: %w", col.name, err)
		}
	}
	return nil
}
