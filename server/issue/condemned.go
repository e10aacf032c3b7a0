package issue

import (
	"context"
	"errors"
	"fmt"

	"tcode/server/fault"
)

// A CondemnedError means that a sweep removes files that rows were about to name, because
// no row did. Copies tells, for each file by its SHA-256 in hex, as which copy it is to be
// put again.
type CondemnedError struct{ Copies map[string]int }

// Error tells how many they are.
func (e *CondemnedError) Error() string {
	return fmt.Sprintf("%d files are being removed by a sweep", len(e.Copies))
}

// maxPuts bounds how often files are put again: each time a sweep has come in between.
const maxPuts = 8

// Named calls commit, which names files, and again for files that a sweep condemned
// meanwhile. The fault is Unavailable if sweeps come in between too often.
func Named(ctx context.Context, commit func() error, again func(copies map[string]int) error) error {
	var condemned *CondemnedError
	for range maxPuts {
		err := commit()
		if !errors.As(err, &condemned) {
			return err
		}
		if err := again(condemned.Copies); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "files are being removed now, try again").WithErr(condemned)
}
