package trustbook

import (
	"context"
	"errors"
	"fmt"

	"tcode/offline/digest"
	"tcode/offline/trust"
)

// Salvaged is what a store could read of a damaged one: nothing of it is verified.
type Salvaged struct {
	Roots      map[int][]byte // by version
	Gateway    string         // empty: none
	Remembered []digest.SHA256
}

// Restore fills an empty store with the parts of a damaged one that are safe to
// keep: the chain of roots up to the first damaged one, which it verifies, the
// gateway, and remembered revocations. If no root verifies, the device is not
// enrolled. note is kept as the reason of the last refresh.
func (b *Book) Restore(ctx context.Context, x Salvaged, note string) error {
	var roots [][]byte
	for n := 1; x.Roots[n] != nil; n++ {
		roots = append(roots, x.Roots[n])
	}
	for ; len(roots) > 0; roots = roots[:len(roots)-1] {
		first, err := trust.Pin(roots[:min(len(roots), trust.MaxRootRun+1)], nil)
		if err != nil {
			continue
		}
		err = b.pinChain(ctx, first, roots)
		if err == nil {
			break
		}
		if _, refused := errors.AsType[*trust.DocumentError](err); !refused {
			return fmt.Errorf("restore: %w", err)
		}
	}
	if len(roots) > 0 && x.Gateway != "" {
		if err := b.SetGateway(ctx, x.Gateway); err != nil {
			return err
		}
	}
	if err := b.Remember(ctx, x.Remembered...); err != nil {
		return err
	}
	return b.NoteAttempt(ctx, b.now(), errors.New(note))
}
