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

// rowsAtOnce is how many rows are held in memory to be written out.
const rowsAtOnce = 200

// eachRow calls do for the rows of a job in order, those in a state or, with "",
// all.
func (s *Service) eachRow(ctx context.Context, j Job, state RowState, do func(Row) error) error {
	for page := 1; ; page++ {
		rows, err := s.c.Store.BulkRowPage(ctx, j.Tenant, j.ID, state, page, rowsAtOnce)
		if err != nil {
			return err
		}
		for _, row := range rows.Items {
			if err := do(row); err != nil {
				return err
			}
		}
		if len(rows.Items) < rowsAtOnce {
			return nil
		}
	}
}
