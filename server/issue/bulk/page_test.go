package bulk_test

import (
	"context"
	"testing"

	"tcode/server/issue/bulk"
)

// manyRows is a store with one job of that many rows. Its field most is the largest
// number of rows that one call requested.
type manyRows struct {
	bulk.Store
	rows, most int
}

func (m *manyRows) Bulk(_ context.Context, tenantRef, id string) (bulk.Job, error) {
	return bulk.Job{ID: id, Tenant: tenantRef}, nil
}

func (m *manyRows) BulkRows(_ context.Context, _, _ string, _ bulk.RowState, after, limit int) (rows []bulk.Row, err error) {
	m.most = max(m.most, limit)
	for n := after + 1; n <= min(after+limit, m.rows); n++ {
		rows = append(rows, bulk.Row{Number: n})
	}
	return rows, nil
}

// TestEachRow: all rows of a job are gone through, few of them at a time.
func TestEachRow(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 199, 200, 201, 400, 4999, bulk.MaxRows} {
		store := &manyRows{rows: n}
		rows, err := bulk.New(bulk.Config{Store: store}).Rows(t.Context(), "ACME01", "", "00000000-0000-0000-0000-000000000000")
		if err != nil || len(rows) != n || store.most > 200 {
			t.Errorf("%d of %d rows, up to %d in one call, %v", len(rows), n, store.most, err)
		}
		for i, row := range rows {
			if row.Number != i+1 {
				t.Fatalf("row %d of %d has the number %d", i+1, n, row.Number)
			}
		}
	}
}
