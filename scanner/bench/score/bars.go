package score

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
)

// A Bar is one minimum that the reader must reach.
type Bar struct {
	What   string `json:"what"`
	Want   string `json:"want"`
	Figure string `json:"figure"`
	Met    bool   `json:"met"`
}

// SetBar is the number of images of a real set that must be read.
type SetBar struct{ AtLeast, Of int }

// SetBars are the floors of the real image sets.
var SetBars = map[string]SetBar{
	"zxing-cpp_datamatrix-1": {29, 30},
	"zxing-cpp_datamatrix-2": {13, 13},
	"zxing_datamatrix-1":     {23, 23},
	"zxing_datamatrix-2":     {18, 18},
	"libdmtx_rotate":         {16, 18},
	"zxing_falsepositives":   {0, 22},
}

// Bars compares the figures of own with the bars. It leaves out the bars of peers that did
// not take part.
func Bars(rows []Row, sets []Set, variants []pages.Variant) []Bar {
	own := readers.Own
	var out []Bar
	add := func(met bool, what, want, figure string, args ...any) {
		out = append(out, Bar{what, want, fmt.Sprintf(figure, args...), met})
	}
	share := func(what string, atLeast float64, keep func(*Row) bool) {
		got, ideal := Tally(rows, own, keep), Tally(rows, Ideal, keep)
		if ideal.Pages == 0 {
			return
		}
		pct := 100.0
		if ideal.Read > 0 {
			pct = 100 * float64(got.Read) / float64(ideal.Read)
		}
		add(float64(got.Read) >= atLeast*float64(ideal.Read), what, fmt.Sprintf("%.0f %% of the ideal grid", 100*atLeast),
			"%d of %d pages, ideal %d: %.0f %%", got.Read, got.Pages, ideal.Read, pct)
	}
	share("undamaged, >= 2 px, classic variants", 1, func(r *Row) bool { return undamaged(r) && atLeast2(r) && classic(r.Truth.Variant) })
	share("undamaged, >= 2 px, further variants", 1, func(r *Row) bool { return undamaged(r) && atLeast2(r) && !classic(r.Truth.Variant) })
	share("pen-damaged finder (damage)", 0.75, func(r *Row) bool { return r.Truth.Variant == "damage" })
	share("pen, staple, coffee", 0.75, func(r *Row) bool { return damaged(r.Truth.Variant) && r.Truth.Variant != "damage" })
	small := func(r *Row) bool { return r.Truth.ModulePx >= 1.5 && r.Truth.ModulePx < 2 }
	share("1.5 to 2 px, classic variants", 0.75, func(r *Row) bool { return small(r) && classic(r.Truth.Variant) })
	share("1.5 to 2 px, all variants", 0.75, small)

	behind, cells := Behind(rows, variants, own, readers.Wasm)
	if cells > 0 {
		add(len(behind) == 0, "every variant, every px class", "at least zxing-wasm", "behind in %d of %d cells: %s", len(behind), cells, strings.Join(behind, ", "))
	}
	all := Tally(rows, own, func(*Row) bool { return true })
	wrong := all.Wrong
	for _, s := range sets {
		wrong += s.Counts[own].Wrong
	}
	add(wrong == 0, "wrong payloads, falsepositives included", "0", "%d", wrong)
	var panics []string
	for i := range rows {
		if r := &rows[i]; r.Results[own].Code == readers.Panicked {
			panics = append(panics, r.Truth.ID+" "+r.Results[own].Message)
		}
	}
	for _, s := range sets {
		panics = append(panics, s.Panics...)
	}
	add(len(panics) == 0, "panics of the reader", "0", "%d %s", len(panics), strings.Join(panics, ", "))
	out = append(out, setBars(sets)...)
	return append(out, speedBars(rows)...)
}

// Behind lists the cells, variant by class, in which own reads less than peer, among the
// pages that both looked at.
func Behind(rows []Row, variants []pages.Variant, own, peer string) (behind []string, cells int) {
	for _, v := range variants {
		for _, c := range Classes {
			keep := func(r *Row) bool {
				return r.Truth.Variant == v.Name && c.Holds(r) && r.Tried(own) && r.Tried(peer)
			}
			a, b := Tally(rows, own, keep), Tally(rows, peer, keep)
			if a.Pages == 0 {
				continue
			}
			cells++
			if a.Read < b.Read {
				behind = append(behind, fmt.Sprintf("%s %s (%d, %s %d)", v.Name, c.Name, a.Read, peer, b.Read))
			}
		}
	}
	return behind, cells
}

func setBars(sets []Set) (out []Bar) {
	for _, s := range sets {
		bar, ok := SetBars[s.Name]
		if !ok {
			continue
		}
		got := s.Counts[readers.Own]
		want := fmt.Sprintf("%d of %d", bar.AtLeast, bar.Of)
		out = append(out, Bar{s.Name, want, fmt.Sprintf("%d of %d, %d wrong", got.Read, got.Pages, got.Wrong), got.Read >= bar.AtLeast && got.Pages == bar.Of && got.Wrong == 0})
	}
	return out
}

// speedBars returns the bars for A4 pages at 200 dpi.
func speedBars(rows []Row) (out []Bar) {
	at200 := func(name string) func(*Row) bool {
		return func(r *Row) bool { return r.Truth.Variant == name && r.Truth.DPI == 200 }
	}
	own := Tally(rows, readers.Own, at200("clean"))
	if own.Pages > 0 {
		out = append(out, Bar{"A4 at 200 dpi with a symbol, CPU", "10 ms", fmt.Sprintf("%.1f ms, median of %d", own.CPUms, own.Pages), own.CPUms <= 10})
	}
	for _, peer := range [][2]string{{readers.Wasm, "zxing-wasm, gray, one symbol"}, {readers.WasmRGBA, "zxing-wasm, RGBA, its defaults"}} {
		wasm := Tally(rows, peer[0], at200("clean"))
		if own.Pages > 0 && wasm.Pages > 0 && own.CPUms > 0 {
			k := wasm.CPUms / own.CPUms
			out = append(out, Bar{"the same against " + peer[1], "7 times faster", fmt.Sprintf("%.1f times (%.1f ms)", k, wasm.CPUms), k >= 7})
		}
	}
	if none := Tally(rows, readers.Own, at200(pages.Empty)); none.Pages > 0 {
		out = append(out, Bar{"A4 at 200 dpi without a symbol, CPU", "20 ms", fmt.Sprintf("%.1f ms, median of %d", none.CPUms, none.Pages), none.CPUms <= 20})
	}
	return out
}

// PrintBars prints the bars, one on each line.
func PrintBars(w io.Writer, bars []Bar) error {
	t := tabwriter.NewWriter(w, 0, 1, 2, ' ', 0)
	fmt.Fprint(t, "\nBARS\n")
	for _, b := range bars {
		met := "met"
		if !b.Met {
			met = "NOT MET"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", met, b.What, b.Want, b.Figure)
	}
	return t.Flush()
}
