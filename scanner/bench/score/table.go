package score

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"tcode/scanner/bench/pages"
	bench "tcode/scanner/bench/readers"
)

// Tables prints the counts of each reader by variant, by px per module and by resolution.
// readers are the columns in addition to the ideal grid.
func Tables(w io.Writer, rows []Row, variants []pages.Variant, readers []string) error {
	cols := []string{Ideal}
	for _, name := range readers {
		if name != bench.WasmRGBA { // there for its time only
			cols = append(cols, name)
		}
	}
	t := &printer{tabwriter.NewWriter(w, 0, 1, 2, ' ', tabwriter.AlignRight)}

	t.head("READ BY VARIANT, all | at 2 px per module and more", "variant", cols, true)
	for _, v := range variants {
		if v.Name != pages.Empty {
			t.row(v.Name, rows, cols, func(r *Row) bool { return r.Truth.Variant == v.Name }, true)
		}
	}
	t.row("undamaged", rows, cols, undamaged, true)
	t.row("all", rows, cols, func(r *Row) bool { return r.Truth.Side > 0 }, true)

	for _, k := range []struct {
		title string
		keep  func(*Row) bool
	}{
		{"READ BY PX PER MODULE, undamaged", undamaged},
		{"READ BY PX PER MODULE, ink on the symbol", func(r *Row) bool { return damaged(r.Truth.Variant) }},
	} {
		t.head(k.title, "px", cols, false)
		for _, c := range Classes {
			t.row(c.Name, rows, cols, func(r *Row) bool { return k.keep(r) && c.Holds(r) }, false)
		}
	}
	t.cells(rows, variants, cols)
	t.times(rows, readers)
	t.wrong(rows, readers)
	return t.Flush()
}

// undamaged reports whether the page has a symbol without ink on it.
func undamaged(r *Row) bool { return r.Truth.Side > 0 && !damaged(r.Truth.Variant) }

// atLeast2 reports whether modules have 2 px or more.
func atLeast2(r *Row) bool { return r.Truth.ModulePx >= 2 }

// printer fills a tabwriter. Errors of writes show in Flush.
type printer struct{ *tabwriter.Writer }

func (t *printer) line(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")+"\t") }

func (t *printer) title(s string) {
	_ = t.Flush() // the last Flush tells
	fmt.Fprintf(t, "\n%s\n", s)
	_ = t.Flush()
}

func (t *printer) head(title, first string, cols []string, twice bool) {
	t.title(title)
	cells := append([]string{first, "pages"}, cols...)
	if twice {
		cells = append(append(cells, "| pages"), cols...)
	}
	t.line(cells...)
}

func (t *printer) row(name string, rows []Row, cols []string, keep func(*Row) bool, twice bool) {
	cells := counts([]string{name}, "", rows, cols, keep)
	if twice {
		cells = counts(cells, "| ", rows, cols, func(r *Row) bool { return keep(r) && atLeast2(r) })
	}
	t.line(cells...)
}

// counts adds the number of pages and the number that each reader read. For readers that
// did not look at all of them it shows both numbers.
func counts(cells []string, mark string, rows []Row, cols []string, keep func(*Row) bool) []string {
	pages := 0
	for i := range rows {
		if keep(&rows[i]) {
			pages++
		}
	}
	cells = append(cells, fmt.Sprint(mark, pages))
	for _, c := range cols {
		got := Tally(rows, c, keep)
		cell := fmt.Sprint(got.Read)
		if got.Pages == 0 {
			cell = "-"
		} else if got.Pages != pages {
			cell = fmt.Sprintf("%d/%d", got.Read, got.Pages)
		}
		if got.Wrong > 0 {
			cell += fmt.Sprintf(" (%d wrong)", got.Wrong)
		}
		cells = append(cells, cell)
	}
	return cells
}

// cells prints variant by class: ideal/own/wasm.
func (t *printer) cells(rows []Row, variants []pages.Variant, cols []string) {
	t.title("READ BY VARIANT AND PX PER MODULE: " + strings.Join(cols, "/") + " of pages")
	head := []string{"variant"}
	for _, c := range Classes {
		head = append(head, c.Name)
	}
	t.line(head...)
	for _, v := range variants {
		if v.Name == pages.Empty {
			continue
		}
		line := []string{v.Name}
		for _, c := range Classes {
			keep := func(r *Row) bool { return r.Truth.Variant == v.Name && c.Holds(r) }
			var parts []string
			for _, col := range cols {
				if got := Tally(rows, col, keep); got.Pages > 0 {
					parts = append(parts, fmt.Sprint(got.Read))
				} else {
					parts = append(parts, "-")
				}
			}
			line = append(line, fmt.Sprintf("%s of %d", strings.Join(parts, "/"), Tally(rows, Ideal, keep).Pages))
		}
		t.line(line...)
	}
}

// times prints CPU medians by resolution, with and without a symbol.
func (t *printer) times(rows []Row, readers []string) {
	t.title("CPU ms, median per page (dmtx: whole process)")
	t.line(append([]string{"pages", "count"}, readers...)...)
	type group struct {
		name string
		keep func(*Row) bool
	}
	var groups []group
	for _, dpi := range pages.Resolutions {
		groups = append(groups,
			group{fmt.Sprint("clean ", dpi, " dpi"), func(r *Row) bool { return r.Truth.Variant == "clean" && r.Truth.DPI == dpi }},
			group{fmt.Sprint("empty ", dpi, " dpi"), func(r *Row) bool { return r.Truth.Variant == pages.Empty && r.Truth.DPI == dpi }})
	}
	groups = append(groups, group{"all", func(*Row) bool { return true }})
	for _, g := range groups {
		cells := []string{g.name, ""}
		for i := range rows {
			if g.keep(&rows[i]) {
				cells[1] += "x"
			}
		}
		cells[1] = fmt.Sprint(len(cells[1]))
		for _, name := range readers {
			cells = append(cells, fmt.Sprintf("%.1f", Tally(rows, name, g.keep).CPUms))
		}
		t.line(cells...)
	}
}

// wrong lists every wrong read.
func (t *printer) wrong(rows []Row, readers []string) {
	t.title("WRONG READS")
	n := 0
	for i := range rows {
		for _, name := range readers {
			if rows[i].Wrong(name) {
				n++
				fmt.Fprintf(t, "%s read %s as %.60q\n", name, rows[i].Truth.ID, rows[i].Results[name].Text)
			}
		}
	}
	if n == 0 {
		fmt.Fprintln(t, "none")
	}
}

// Missed prints the pages that own did not read although the ideal grid or another reader
// does.
func Missed(w io.Writer, rows []Row, own string) error {
	t := &printer{tabwriter.NewWriter(w, 0, 1, 2, ' ', 0)}
	t.title("NOT READ BY " + own + " THOUGH READABLE")
	t.line("page", "modules", "px", "mm", "dpi", "maker", "wrong modules", "also read by", "variant's figures", "reason")
	for i := range rows {
		r := &rows[i]
		if by := ReadElsewhere(r, own); len(by) > 0 {
			x := r.Truth
			t.line(x.ID, fmt.Sprint(x.Side), fmt.Sprintf("%.2f", x.ModulePx), fmt.Sprintf("%.1f", x.SizeMM), fmt.Sprint(x.DPI), x.Maker,
				fmt.Sprint(x.WrongModules), strings.Join(by, " "), x.Param, r.Results[own].Code+": "+r.Results[own].Message)
		}
	}
	return t.Flush()
}

// ReadElsewhere returns the other readers that read a page that own does not read.
func ReadElsewhere(r *Row, own string) (by []string) {
	if !r.Tried(own) || r.Right(own) {
		return nil
	}
	if r.Right(Ideal) {
		by = append(by, Ideal)
	}
	for name := range r.Results {
		if r.Right(name) {
			by = append(by, name)
		}
	}
	return by
}
