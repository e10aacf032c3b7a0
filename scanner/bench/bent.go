package main

import (
	"context"
	"fmt"
	"io"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// bentPx are the module sides of the bent symbols, px.
var bentPx = []float64{4, 6, 9, 12, 16}

// bent returns the set of bent symbols of a kind close up, at every module size, and in all
// turns if turns is set.
func bent(kind simulate.BentKind, seed uint64, turns bool) (*drawn, error) {
	set, err := simulate.BentSet(kind, seed)
	if err != nil {
		return nil, fmt.Errorf("bent symbols: %w", err)
	}
	d := &drawn{title: fmt.Sprintf("BENT SYMBOLS CLOSE UP, %s, by px per module", kind), first: "px"}
	n := 1
	if turns {
		n = 4
	}
	for _, px := range bentPx {
		group := fmt.Sprint(px)
		d.groups = append(d.groups, group)
		for i, b := range set {
			direction := "across"
			if b.Wave.Down {
				direction = "down"
			}
			for turn := range n {
				id := fmt.Sprintf("bent%d-%02d-%d-%.3f-%s-%spx-%dturns", kind, i, b.Symbol.Rows, b.Wave.Amplitude, direction, group, turn)
				d.each = append(d.each, picture{id, group, b.Text, func(context.Context) (*gray.Image, bool, any, error) {
					m, _ := simulate.DrawBent(b.Symbol, b.Wave, px, turn)
					return m, true, b.Wave, nil
				}})
			}
		}
	}
	return d, nil
}

// bends has all readers read the bent symbols of every kind.
func bends(ctx context.Context, o options, out io.Writer, p *teller) error {
	for _, kind := range []simulate.BentKind{simulate.Bow, simulate.LowWave, simulate.HighWave} {
		d, err := bent(kind, o.seed, o.turns)
		if err != nil {
			return err
		}
		if err := d.run(ctx, o, out, p); err != nil {
			return err
		}
	}
	return nil
}
