package bulk

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tcode/server/fault"
	"tcode/server/platform/hold"
	"tcode/server/tenant"
)

// itemOf is a row's name among the items of its job.
func itemOf(row Row) string { return strconv.Itoa(row.Number) }

// itemLine begins the name of a line of the CSV file that is being checked: there are no rows
// before all lines are found good.
const itemLine = "line "

// SetAside fails a row that ended its process twice, or the job if there are no rows yet, or
// with "".
func (s *Service) SetAside(ctx context.Context, id, item, cause string) error {
	now := s.now()
	switch {
	case item == "":
		return s.c.Store.SetAsideBulk(ctx, id, hold.Twice, cause, now)
	case strings.HasPrefix(item, itemLine):
		return s.c.Store.SetAsideBulk(ctx, id, item+" of the CSV file: "+hold.Twice, cause, now)
	}
	number, err := strconv.Atoi(item)
	if err != nil {
		return fmt.Errorf("row of bulk job %s: %w", id, err)
	}
	row := Row{Number: number, State: RowFailed, Code: fault.CodeInternal, Message: hold.Twice, UpdatedAt: now}
	return s.c.Store.SetAsideRow(ctx, id, row, cause)
}

// Free gives back a job that a work process held when it ended.
func (s *Service) Free(ctx context.Context, id, owner string) error {
	return s.c.Store.ReleaseBulk(ctx, id, owner, s.now())
}

// ChangeAny is [Service.Change] for an operator, whose name is in the context, and who has the work of
// its author done.
func (s *Service) ChangeAny(ctx context.Context, tenantRef, id string, a Action) error {
	now := s.now()
	audit := tenant.NewEntry(ctx, tenantRef, "bulk."+string(a), id, now)
	_, err := s.c.Store.ChangeBulk(ctx, tenantRef, id, a, "", now, audit)
	return err
}
