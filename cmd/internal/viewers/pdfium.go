package viewers

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
)

// pdfium draws in children of this process, whose main or TestMain serves
// [raster.Roles].
func pdfium(ctx context.Context, paths map[string]string, ending string) error {
	return engine(ctx, paths, ending, raster.PDFium)
}

// engine draws with an engine of scanner/raster. A file that it refuses shows nothing.
func engine(ctx context.Context, paths map[string]string, ending string, e raster.Engine) error {
	r := raster.New(sandbox.Config{}, raster.Limits{}, raster.WithEngine(e))
	defer r.Close()
	for _, path := range slices.Sorted(maps.Values(paths)) {
		file, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_ = r.Open(ctx, file, func(d *raster.Document) error {
			view, err := d.View(raster.ViewRequest{Page: 1, DPI: DPI})
			if err != nil {
				return err
			}
			return write(strings.TrimSuffix(path, ".pdf")+ending, view.Gray())
		})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
