//go:build !js

package contain

import (
	"context"
	"errors"
	"log/slog"
)

func tell(e Event) { Log(slog.Default(), e) }

// Log writes one line about e, with the stack of a panic.
func Log(to *slog.Logger, e Event) {
	attrs := []slog.Attr{slog.String("item", e.Name), slog.Any("err", e.Err)}
	if p, ok := errors.AsType[*Panic](e.Err); ok {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	to.LogAttrs(context.Background(), slog.LevelError, "a fault of one item was contained", attrs...)
}
