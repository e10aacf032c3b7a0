package pgdb

import "database/sql"

// Pools returns the statistics of the pools, by name.
func (db *DB) Pools() map[string]sql.DBStats {
	return map[string]sql.DBStats{"scoped": db.scoped.Stats(), "public": db.public.Stats()}
}
