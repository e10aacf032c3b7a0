package readers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Keep returns a reader that takes the answers of r from file if they are there, and adds
// the others to it. Use it for readers that do not change. The times of such answers come
// from another run, and Result.Kept is set.
func Keep(file string, r Reader) Reader {
	return func(ctx context.Context, items []Item, tell func(Result)) (err error) {
		known := map[string]Result{}
		if raw, err := os.ReadFile(file); err == nil {
			if err := json.Unmarshal(raw, &known); err != nil {
				return fmt.Errorf("%s: %w: remove it", file, err)
			}
		}
		var missing []Item
		for _, it := range items {
			if _, ok := known[it.ID]; !ok {
				missing = append(missing, it)
			}
		}
		for _, it := range items {
			if k, ok := known[it.ID]; ok {
				k.Kept = true
				tell(k)
			}
		}
		if len(missing) == 0 {
			return nil
		}
		defer func() { // the answers of an interrupted run are kept too
			raw, jerr := json.Marshal(known)
			if jerr == nil {
				jerr = os.MkdirAll(filepath.Dir(file), 0o755)
			}
			if jerr == nil {
				jerr = os.WriteFile(file, raw, 0o600)
			}
			err = errors.Join(err, jerr)
		}()
		return r(ctx, missing, func(res Result) {
			known[res.ID] = res
			tell(res)
		})
	}
}
