package field

import (
	"context"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner/caveat"
)

// examine adds the caveats that need more than one stamp and its bytes: the
// file's name, other stamps and, where it is asked for, what two engines draw.
func (r *reading) examine(ctx context.Context) error {
	named := misnamed(r.name, r.binder.Kind())
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

// compare has the file drawn by two engines, once, if a good stamp is bound to
// it whose issuer does not vouch that all of it is plain.
func (r *reading) compare(ctx context.Context) error {
	var found []caveat.Caveat
	done := false
	for i := range r.findings {
		f := &r.findings[i]
		whole := f.Result.Binding == binding.Match && !f.Result.Plain
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

// differences are the caveats of [Config.Compare]. That it failed is one too;
// the error is that of ctx.
func (r *reading) differences(ctx context.Context) ([]caveat.Caveat, error) {
	with := r.station.cfg.Compare
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
