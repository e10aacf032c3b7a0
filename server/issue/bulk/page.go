package bulk

import (
	"context"

	"tcode/server/tenant"
)

// A RowPage is one page of the rows of a job, in their order.
type RowPage struct {
	Items          []Row
	Page, PageSize int
	TotalCount     int
}

// RowPage returns one page of the rows of a job, those in a state or, with "",
// all.
func (s *Service) RowPage(ctx context.Context, id tenant.Identity, p Product, jobID string, state RowState, page, pageSize int) (RowPage, error) {
	j, err := s.Reach(ctx, id, p, jobID)
	if err != nil {
		return RowPage{}, err
	}
	return s.c.Store.BulkRowPage(ctx, j.Tenant, j.ID, state, page, pageSize)
}

// rowsAtOnce is the limit on the rows of a job in memory, for each kind of work on it
// and any size of the job.
const rowsAtOnce = 200

// eachRow calls do for the rows of a job in order, those in a state or, with "",
// all. Each is as it was shortly before.
func (s *Service) eachRow(ctx context.Context, j Job, state RowState, do func(Row) error) error {
	for after := 0; ; {
		rows, err := s.c.Store.BulkRows(ctx, j.Tenant, j.ID, state, after, rowsAtOnce)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := do(row); err != nil {
				return err
			}
			after = row.Number
		}
		if len(rows) < rowsAtOnce {
			return nil
		}
	}
}
