package pgdb

import "database/sql"

// Pools returns how busy the pools are, by name.
func (db *DB) Pools() map[string]sql.DBStats {
	return map[string]sql.DBStats{"scoped": db.scoped.Stats(), "public": db.public.Stats()}
}
