package draft

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tcode/server/platform/round"
)

// sweepEvery is the time between two sweeps of [Folder.Run], and sweepTime bounds one.
const sweepEvery, sweepTime = time.Minute, 2 * time.Minute

// Run removes drafts whose life is over, until ctx is done.
func (d *Folder) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		_ = round.Do(ctx, sweepTime, func(context.Context) error { d.Sweep(); return nil })
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Sweep removes drafts whose life is over, and what killed processes left.
func (d *Folder) Sweep() {
	homes, _ := filepath.Glob(filepath.Join(d.dir, "*")) // none if there is no folder
	for _, home := range homes {
		for _, r := range d.all(home) {
			if !d.c.Now().Before(r.Ends) {
				d.remove(home, r.ID)
			}
		}
		d.sweepParts(home)
	}
}

// sweepParts removes old files without a record.
func (d *Folder) sweepParts(home string) {
	names, _ := filepath.Glob(filepath.Join(home, "*"))
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || time.Since(info.ModTime()) < d.c.Life {
			continue
		}
		record := strings.TrimSuffix(name, filepath.Ext(name)) + recordSuffix
		if _, err := os.Stat(record); err != nil || strings.HasSuffix(name, partSuffix) {
			_ = os.Remove(name) // the next sweep tries again
		}
	}
}

// total returns the bytes of all drafts.
func (d *Folder) total() (n int64) {
	_ = filepath.WalkDir(d.dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // it was removed meanwhile
		}
		if info, err := e.Info(); err == nil && !e.IsDir() {
			n += info.Size()
		}
		return nil
	})
	return n
}
