package outbox

import "context"

// Tamper changes rows behind the outbox's back, as a failing disk would.
func Tamper(ctx context.Context, o *Outbox, query string, args ...any) error {
	_, err := o.db.Writer().ExecContext(ctx, query, args...)
	return err
}
