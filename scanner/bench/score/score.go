// Package score counts the symbols that readers read and compares the counts with the bars.
// Call [Bars] with rows.
//
//	Truth + Results ─▶ Row ─┬▶ table by variant, by px per module
//	                        ├▶ cells in which a reader is behind
//	                        └▶ bars: figure, met or not
package score

import (
	"bytes"
	"slices"

	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
)

// Ideal is the column of the true grid with plain Reed-Solomon; see package
// pages.
const Ideal = "ideal"

// A Row is one page with the result of each reader.
type Row struct {
	Truth   pages.Truth
	Results map[string]readers.Result // by reader; absent: it did not look at this page
}

// Tried reports whether a reader looked at the page.
func (r *Row) Tried(reader string) bool {
	if reader == Ideal {
		return r.Truth.Variant != pages.Empty
	}
	_, ok := r.Results[reader]
	return ok
}

// Right reports whether a reader read the text of the symbol.
func (r *Row) Right(reader string) bool {
	if reader == Ideal {
		return r.Truth.Ideal
	}
	got, ok := r.Results[reader]
	return ok && got.Read && r.Truth.Side > 0 && bytes.Equal(got.Bytes, r.Truth.Text)
}

// Wrong reports whether a reader read another text.
func (r *Row) Wrong(reader string) bool {
	return reader != Ideal && r.Results[reader].Read && !r.Right(reader)
}

// Classes are the classes of px per module, each from Lo up to but without Hi.
var Classes = []Class{{"<1.5", 0, 1.5}, {"1.5-2", 1.5, 2}, {"2-3", 2, 3}, {"3-5", 3, 5}, {">=5", 5, 1e9}}

// A Class is a range of module sizes.
type Class struct {
	Name   string
	Lo, Hi float64 // px per module
}

// Holds reports whether the page's symbol is of this class.
func (c Class) Holds(r *Row) bool {
	return r.Truth.Side > 0 && r.Truth.ModulePx >= c.Lo && r.Truth.ModulePx < c.Hi
}

// A Count is the counts of one reader over some pages.
type Count struct {
	Pages int     `json:"pages"`
	Read  int     `json:"read"`
	Wrong int     `json:"wrong"`
	CPUms float64 `json:"cpuMs"` // median of the process's CPU time
}

// Tally counts a reader over the rows for which keep returns true and that it looked
// at.
func Tally(rows []Row, reader string, keep func(*Row) bool) Count {
	var c Count
	var times []float64
	for i := range rows {
		r := &rows[i]
		if !keep(r) || !r.Tried(reader) {
			continue
		}
		c.Pages++
		if r.Right(reader) {
			c.Read++
		}
		if r.Wrong(reader) {
			c.Wrong++
		}
		times = append(times, r.Results[reader].CPUms)
	}
	c.CPUms = Median(times)
	return c
}

// Median returns the middle of v, or 0 if v is empty. It sorts v.
func Median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// damaged and classic report properties of a variant by name.
func damaged(name string) bool { return variant(name).Damaged }
func classic(name string) bool { return variant(name).Classic }

func variant(name string) pages.Variant {
	all := pages.Variants()
	if i := slices.IndexFunc(all, func(v pages.Variant) bool { return v.Name == name }); i >= 0 {
		return all[i]
	}
	return pages.Variant{}
}
