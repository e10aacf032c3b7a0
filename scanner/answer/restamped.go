package answer

import (
	"context"
	"slices"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner/restamp"
)

// maxChain is the longest chain of stamps of one file that is proven.
const maxChain = 8

// proveStamps finds the stamps that only other stamps follow: a chain of
// revisions, each of which begins where the one before ends, up to the end of
// the file. It compares each revision with one that stamping adds, and draws
// its pages before and after, because a stamp must cover nothing.
func (r *Reading) proveStamps(ctx context.Context, by Drawing) error {
	var ends []int64 // of valid stamps
	for _, f := range r.findings {
		if end, ok := r.ends[f.Symbol.Text]; ok && f.Result.Verdict == offline.Valid && !slices.Contains(ends, end) {
			ends = append(ends, end)
		}
	}
	slices.Sort(ends)
	if len(ends) < 2 || len(ends) > maxChain || ends[len(ends)-1] != int64(len(r.data)) {
		return nil
	}
	proven := len(ends) - 1 // only stamps follow ends from this index on
	for proven > 0 {
		good, err := r.stampAlone(ctx, by, ends[proven-1], ends[proven])
		if err != nil {
			return err
		}
		if !good {
			break
		}
		proven--
	}
	for i := range r.findings {
		f := &r.findings[i]
		f.Restamped = f.Result.Verdict == offline.Valid && f.Result.Binding == binding.Appended && r.ends[f.Symbol.Text] >= ends[proven]
	}
	return nil
}

// stampAlone reports whether the bytes from one end to the next are one stamp
// that covers nothing. Without drawing it cannot tell. The error is that of ctx.
func (r *Reading) stampAlone(ctx context.Context, by Drawing, from, to int64) (bool, error) {
	pages, err := restamp.Prove(r.data, from, to)
	if err != nil {
		return false, nil // "not proven" is an answer
	}
	if by.CoversNothing == nil {
		r.doubted = true
		return false, nil
	}
	return by.CoversNothing(ctx, r.data[:from], r.data[:to], pages)
}
