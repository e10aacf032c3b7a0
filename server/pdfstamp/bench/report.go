package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// report writes the tables and the bars.
func (b *bench) report(w io.Writer, rows, large []row, common int) {
	fmt.Fprintf(w, "%d files, %d rendered before and after at %d dpi; CPU and memory over the %d that all tools stamp\n\n",
		len(b.names), len(b.sample()), renderDPI, common)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "tool\tstamped\tbytes kept\tsignatures valid\tstamp reads\tpixels elsewhere\tbytes added\tCPU a stamp\tpeak memory\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%d of %d\t%d\t%d of %d\t%d of %d\t%d\t%d\t%s\t%s\t\n",
			r.Tool, r.Stamped, len(b.names), r.Kept, r.Valid, r.Signed, r.Read, r.Sampled, r.Outside, r.Added, millis(r.CPU), mib(r.Memory))
	}
	t.Flush()
	fmt.Fprint(w, "\na file of 500 pages and 20 MB\n\n")
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "tool\tCPU a stamp\tpeak memory\tresident sets\t")
	for _, r := range large {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", r.Tool, millis(r.CPU), mib(r.Memory), mib(r.Sets))
	}
	t.Flush()
	bars(w, rows, large)
}

// bars compares ours with pdfcpu.
func bars(w io.Writer, rows, large []row) {
	find := func(list []row, tool string) (row, bool) {
		i := slices.IndexFunc(list, func(r row) bool { return r.Tool == tool })
		if i < 0 {
			return row{}, false
		}
		return list[i], true
	}
	fmt.Fprintln(w)
	bar := func(what string, ours, theirs, limit float64) {
		if theirs <= 0 {
			return
		}
		word := "holds"
		if ours > theirs*limit {
			word = "MISSED"
		}
		fmt.Fprintf(w, "%-40s %.2f of pdfcpu, at most %.2f: %s\n", what, ours/theirs, limit, word)
	}
	us, ok := find(rows, ourName)
	them, ok2 := find(rows, theirName)
	if !ok || !ok2 {
		return
	}
	bar("CPU a stamp", float64(us.CPU), float64(them.CPU), 1.0/2)
	for _, way := range []struct{ name, ours, theirs string }{
		{"file to file", ourName, theirFiles}, {"as in the gateway", ourGateway, theirName},
	} {
		us, _ = find(large, way.ours)
		them, _ = find(large, way.theirs)
		bar("CPU a stamp, 500 pages, "+way.name, float64(us.CPU), float64(them.CPU), 1.0/3)
		bar("peak memory, 500 pages, "+way.name, float64(us.Memory), float64(them.Memory), 1.0/3)
	}
}

func millis(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

func mib(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }
