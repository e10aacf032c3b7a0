package device

import (
	"context"
	"fmt"

	"tcode/scanner"
	"tcode/scanner/caveat"
)

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
