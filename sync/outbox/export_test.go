package outbox

import "context"

// Tamper changes rows without the outbox, as a failing disk would.
func Tamper(ctx context.Context, o *Outbox, query string, args ...any) error {
	_, err := o.db.Writer().ExecContext(ctx, query, args...)
	return err
}
