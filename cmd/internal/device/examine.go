package device

import (
	"context"
	"fmt"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner"
	"tcode/scanner/caveat"
)

// examine adds the caveats that need more than one stamp and its bytes: those about the
// file's name, about other stamps and, if requested, about the drawings of two engines.
func (r *reading) examine(ctx context.Context) error {
	named := append(misnamed(r.name, r.binder.Kind()), r.disputed...)
	for i := range r.findings {
		if r.findings[i].recorded() {
			r.findings[i].Caveats = append(r.findings[i].Caveats, named...)
		}
	}
	if err := r.proveStamps(ctx); err != nil {
		return err
	}
	r.weigh()
	return r.compare(ctx)
}

// compare has both engines draw the file, once, if BothEngines is set, or if a
// good stamp is bound to the file and its issuer does not vouch that the whole
// file is plain.
func (r *reading) compare(ctx context.Context) error {
	var found []caveat.Caveat
	done := false
	for i := range r.findings {
		f := &r.findings[i]
		whole := f.Result.Binding == binding.Match && (!f.Result.Plain || r.opt.BothEngines)
		if !r.opt.Compare || f.Result.Verdict != offline.Valid || !whole && !f.Restamped {
			continue
		}
		if !done {
			done = true
			var err error
			if found, err = r.differences(ctx); err != nil {
				return err
			}
		}
		f.Caveats = append(f.Caveats, found...)
	}
	return nil
}

// disputed returns the caveats of a page that the two engines show differently.
func disputed(p scanner.Page) (out []caveat.Caveat) {
	for _, d := range p.Disputes {
		other, _ := d.Shows.Other()
		text := fmt.Sprintf("page %d: %s shows a symbol there that %s does not show", p.Number, d.Shows.Name(), other.Name())
		if d.Text == "" {
			text = fmt.Sprintf("page %d: %s shows it and %s does not: %s", p.Number, d.Shows.Name(), other.Name(), d.Why)
		}
		out = append(out, caveat.Caveat{Code: caveat.Rendering, Text: text})
	}
	return out
}

// differences returns the caveats of [Config.Compare]. Its failure is a caveat
// too; the error is that of ctx.
func (r *reading) differences(ctx context.Context) ([]caveat.Caveat, error) {
	with := r.dev.cfg.Compare
	if with == nil {
		return []caveat.Caveat{notCompared("there is nothing to compare it with in two engines")}, nil
	}
	found, err := with(ctx, r.name, r.data)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		found = append(found, notCompared("two engines could not draw it to compare: "+err.Error()))
	}
	return found, nil
}
