package main

import (
	"fmt"
	"os"
	"path/filepath"

	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/bench/score"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// report is the output of --json.
type report struct {
	Seed    uint64          `json:"seed"`
	Pages   int             `json:"basePages"`
	Sets    []score.Set     `json:"sets"`
	Nothing []score.Nothing `json:"nothing"`
	Bars    []score.Bar     `json:"bars"`
	Each    []pageLine      `json:"pages"`
}

// pageLine is one page of the report.
type pageLine struct {
	ID       string                `json:"id"`
	Maker    string                `json:"maker,omitempty"`
	DPI      int                   `json:"dpi"`
	Modules  int                   `json:"modules,omitempty"`
	ModulePx float64               `json:"modulePx,omitempty"`
	Param    string                `json:"param,omitempty"`
	Ideal    bool                  `json:"ideal"`
	Readers  map[string]readerLine `json:"readers"`
}

type readerLine struct {
	Read   bool    `json:"read"`
	Wrong  bool    `json:"wrong"`
	CPUms  float64 `json:"cpuMs"`
	Reason string  `json:"reason,omitempty"`
}

func pageLines(rows []score.Row, peers []string) []pageLine {
	out := make([]pageLine, 0, len(rows))
	for i := range rows {
		r := &rows[i]
		l := pageLine{
			ID: r.Truth.ID, Maker: r.Truth.Maker, DPI: r.Truth.DPI, Modules: r.Truth.Side, ModulePx: r.Truth.ModulePx,
			Param: r.Truth.Param, Ideal: r.Truth.Ideal, Readers: map[string]readerLine{},
		}
		for _, p := range peers {
			if r.Tried(p) {
				l.Readers[p] = readerLine{r.Right(p), r.Wrong(p), r.Results[p].CPUms, r.Results[p].Code}
			}
		}
		out = append(out, l)
	}
	return out
}

// savePictures writes the page and the enlarged symbol as PNG for each readable page that
// own missed, read wrongly or ended on.
func savePictures(o options, rows []score.Row) error {
	if err := os.MkdirAll(o.save, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	c := o.config(&teller{})
	for i := range rows {
		r := &rows[i]
		if len(score.ReadElsewhere(r, readers.Own)) == 0 && !r.Wrong(readers.Own) && r.Results[readers.Own].Code != readers.Panicked {
			continue
		}
		if err := savePicture(filepath.Join(o.save, r.Truth.ID), c.File(r.Truth.ID), r.Truth); err != nil {
			return err
		}
	}
	return nil
}

// savePicture writes name.png and name-symbol.png.
func savePicture(name, file string, t pages.Truth) error {
	var m gray.Image
	if err := pages.Load(file, &m); err != nil {
		return err
	}
	if err := writePNG(name+".png", &m); err != nil || t.Side == 0 {
		return err
	}
	lo, hi := t.Corners[0], t.Corners[0]
	for _, p := range t.Corners {
		lo = gray.Point{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}
		hi = gray.Point{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
	}
	d := (hi.X - lo.X) / 4
	crop := m.Crop(gray.Rect{X0: int(lo.X - d), Y0: int(lo.Y - d), X1: int(hi.X + d), Y1: int(hi.Y + d)}.Clip(m.Width, m.Height))
	if crop.Width == 0 || crop.Height == 0 {
		return nil
	}
	k := max(1, 800/max(crop.Width, crop.Height))
	big := gray.New(crop.Width*k, crop.Height*k)
	for y := range big.Height {
		for x := range big.Row(y) {
			big.Row(y)[x] = crop.At(x/k, y/k)
		}
	}
	return writePNG(name+"-symbol.png", big)
}

func writePNG(name string, m *gray.Image) error {
	raw, err := simulate.EncodePNG(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, raw, 0o644); err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	return nil
}
