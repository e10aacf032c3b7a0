package answer

import (
	"context"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner/caveat"
)

// A Drawing tells what only drawn pages can tell. The zero value is for a program
// that draws none: its answers are more careful, never less.
type Drawing struct {
	// CoversNothing reports whether the file after draws on pages, from 1, all
	// that the file before draws there. The error is that of ctx. nil: no stamp
	// that others follow counts as [Finding.Restamped].
	CoversNothing func(ctx context.Context, before, after []byte, pages []int) (bool, error)
	// Compare has two engines draw the file and returns a caveat for each
	// difference, and for each part that was not compared. The error is that of
	// ctx. nil: they are not compared.
	Compare func(ctx context.Context) ([]caveat.Caveat, error)
	// Plain has Compare called even for a file whose issuer vouches that it is plain.
	Plain bool
}

// examine adds the caveats that need more than one stamp and its bytes: those about the
// file's name, about other stamps and, if requested, about the drawings of two engines.
func (r *Reading) examine(ctx context.Context, by Drawing) error {
	named := append(misnamed(r.name, r.Kind()), r.disputed...)
	for i := range r.findings {
		if r.findings[i].recorded() {
			r.findings[i].Caveats = append(r.findings[i].Caveats, named...)
		}
		if r.findings[i].Result.Binding == binding.Mismatch {
			r.findings[i].Caveats = append(r.findings[i].Caveats, preceded(r.data, r.Kind())...)
		}
	}
	if err := r.proveStamps(ctx, by); err != nil {
		return err
	}
	r.weigh()
	return r.compare(ctx, by)
}

// compare has the file compared once, if a good stamp is bound to it and its
// issuer does not vouch that the whole file is plain, or with Plain.
func (r *Reading) compare(ctx context.Context, by Drawing) error {
	var found []caveat.Caveat
	done := false
	for i := range r.findings {
		f := &r.findings[i]
		whole := f.Result.Binding == binding.Match && (!f.Result.Plain || by.Plain)
		if by.Compare == nil || f.Result.Verdict != offline.Valid || !whole && !f.Restamped {
			continue
		}
		if !done {
			done = true
			var err error
			if found, err = by.Compare(ctx); err != nil {
				return err
			}
		}
		f.Caveats = append(f.Caveats, found...)
	}
	return nil
}
