package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"tcode/server/store/storetest"
)

// A row is one server in one case. For sync, requests are scans, and latencies are of
// whole batches.
type row struct {
	Engine    string    `json:"engine"`
	Stamps    int       `json:"stamps"`
	Case      string    `json:"case"`
	Server    string    `json:"server"`
	Requests  int       `json:"requests"`
	PerSecond float64   `json:"perSecond"`
	CPU       float64   `json:"cpuMicros"`        // of the server, for a request
	Turns     []float64 `json:"cpuMicrosOfTurns"` // of each turn, in order; CPU is their median
	P50       float64   `json:"p50Ms"`
	P99       float64   `json:"p99Ms"`
	Most      float64   `json:"maxMs"`
	RSS       float64   `json:"rssMiB"` // of the server's own process
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// fill sets the medians of samples, and the latencies of all of them.
func (r *row) fill(samples []sample) {
	var perSecond []float64
	var all []time.Duration
	for _, s := range samples {
		n := float64(len(s.latencies))
		perSecond, r.Turns = append(perSecond, n/s.took.Seconds()), append(r.Turns, micros(s.cpu)/n)
		all = append(all, s.latencies...)
	}
	slices.Sort(all)
	at := func(share float64) float64 { return micros(all[int(share*float64(len(all)-1))]) / 1000 }
	r.Requests, r.PerSecond, r.CPU, r.P50, r.P99, r.Most = len(all), median(perSecond), median(r.Turns), at(0.5), at(0.99), at(1)
}

func median(of []float64) float64 { return quantile(of, 0.5) }

// quantile returns the value below which a share of the others lies.
func quantile(of []float64, share float64) float64 {
	of = slices.Sorted(slices.Values(of))
	return of[min(int(share*float64(len(of))), len(of)-1)]
}

// A bar is a figure that has a limit, or one shown next to those.
type bar struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"` // ratios: median of the turns' ratios
	Low   float64 `json:"low"`   // a fourth of the turns is below; 0: not from turns
	High  float64 `json:"high"`  // and a fourth above
	Bar   float64 `json:"bar"`   // 0: none
	Most  bool    `json:"most"`  // Bar is an upper limit, else a lower one
	Holds bool    `json:"holds"`
}

// The bars. Ratios compare CPU for each request.
const (
	mostOfBare  = 1.3
	leastOfPeer = 4
	leastScans  = 3000 // a second, the load generator on the same machine
	mostOfFewer = 1.5  // CPU with the most stamps against that with the fewest
	leastRows   = 15   // of a bulk job, a second
	mostMemory  = 1.3  // of the longest bulk job against the shortest
)

// judged returns b with its result.
func judged(b bar) bar {
	b.Holds = b.Bar == 0 || b.Value == b.Bar || b.Most == (b.Value < b.Bar)
	return b
}

func bulkBars(rows []bulkRow) (out []bar) {
	shortest := map[string]bulkRow{}
	for _, r := range rows {
		where := fmt.Sprintf("%s, bulk job of %d rows: ", r.Engine, r.Rows)
		out = append(out, judged(bar{Name: where + "rows a second", Value: r.PerSecond, Bar: leastRows}))
		few, ok := shortest[r.Engine]
		if !ok {
			shortest[r.Engine] = r
			continue
		}
		to := fmt.Sprintf(", to %d rows", few.Rows)
		out = append(out,
			judged(bar{Name: where + "memory of the gateway" + to, Value: r.Gateway / few.Gateway, Bar: mostMemory, Most: true}),
			judged(bar{Name: where + "with its children" + to, Value: r.All / few.All, Bar: mostMemory, Most: true}))
	}
	return out
}

func bars(rows []row) (out []bar) {
	add := func(b bar) { out = append(out, judged(b)) }
	ratio := func(name string, of, to row, limit float64, most bool) {
		if of.CPU <= 0 || to.CPU <= 0 { // too little to be measured in ticks of 10 ms
			return
		}
		b := bar{Name: name, Value: of.CPU / to.CPU, Bar: limit, Most: most}
		if each := ratios(of, to); len(each) > 0 {
			b.Value, b.Low, b.High = median(each), quantile(each, 0.25), quantile(each, 0.75)
		}
		add(b)
	}
	for _, r := range rows {
		if r.Server != roleGateway {
			continue
		}
		where := fmt.Sprintf("%s, %d stamps", r.Engine, r.Stamps)
		for _, other := range rows {
			if other.Engine != r.Engine || other.Stamps != r.Stamps || other.Case != r.Case {
				continue
			}
			switch other.Server {
			case roleBare:
				ratio(fmt.Sprintf("%s: %s, gateway to bare", where, r.Case), r, other, mostOfBare, true)
			case bareDefaultGC:
				ratio(fmt.Sprintf("%s: %s, gateway to %s", where, r.Case, other.Server), r, other, 0, true)
			case pocketBase:
				least := 0.0
				if r.Engine == string(storetest.SQLite) { // the only engine of PocketBase
					least = leastOfPeer
				}
				ratio(fmt.Sprintf("%s: %s, PocketBase with a record to gateway", where, r.Case), other, r, least, false)
			case pocketBase + " " + pbLookUp:
				ratio(fmt.Sprintf("%s: %s, PocketBase without one to gateway", where, r.Case), other, r, 0, false)
			}
		}
		switch {
		case r.Case == syncing:
			add(bar{Name: where + ": scans a second", Value: r.PerSecond, Bar: leastScans})
			continue
		case r.Case == publishing:
			add(bar{Name: where + ": revocation to publication, the slowest, ms", Value: r.Most, Bar: mostPublished, Most: true})
			continue
		}
		if few := fewest(rows, r); few.Stamps < r.Stamps {
			ratio(fmt.Sprintf("%s: %s, to %d stamps", where, r.Case, few.Stamps), r, few, mostOfFewer, true)
		}
	}
	return out
}

// ratios returns the ratio of each turn, if both servers took turns in one contest: other
// load on the machine affected both of a turn equally.
func ratios(of, to row) (each []float64) {
	if len(of.Turns) != len(to.Turns) {
		return nil
	}
	for i, cpu := range of.Turns {
		if cpu <= 0 || to.Turns[i] <= 0 {
			return nil
		}
		each = append(each, cpu/to.Turns[i])
	}
	return each
}

// fewest returns the row like r with the fewest stamps.
func fewest(rows []row, r row) row {
	for _, other := range rows {
		if other.Engine == r.Engine && other.Case == r.Case && other.Server == r.Server && other.Stamps < r.Stamps {
			r = other
		}
	}
	return r
}

type report struct {
	PocketBase string `json:"pocketBase,omitempty"` // why it did not run
	Rows       []row  `json:"rows"`
	Bars       []bar  `json:"bars"`

	Bulk  []bulkRow  `json:"bulk"`
	Fleet []fleetRow `json:"fleet"`
	Day   *dayRow    `json:"day,omitempty"`
}

// print writes tables for people.
func (rep report) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if rep.Day != nil {
		rep.Day.print(w)
	}
	if len(rep.Bulk) > 0 {
		fmt.Fprint(w, "engine\trows\tupload s\tchecked s\trows/s\tCPU ms a row\tgateway MiB\twith children MiB\t\n")
		for _, r := range rep.Bulk {
			fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f\t%.0f\t\n", r.Engine, r.Rows, r.Upload, r.Checked, r.PerSecond, r.CPU, r.Gateway, r.All)
		}
		fmt.Fprintln(w)
	}
	if len(rep.Rows) > 0 {
		fmt.Fprint(w, "engine\tstamps\tcase\tserver\trequests\t/s\tCPU µs\tp50 ms\tp99 ms\tRSS MiB\t\n")
		for _, r := range rep.Rows {
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%d\t%.0f\t%.1f\t%.2f\t%.2f\t%.0f\t\n",
				r.Engine, r.Stamps, r.Case, r.Server, r.Requests, r.PerSecond, r.CPU, r.P50, r.P99, r.RSS)
		}
	}
	if rep.PocketBase != "" {
		fmt.Fprintf(w, "PocketBase: %s\n", rep.PocketBase)
	}
	if len(rep.Rows) > 0 {
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "bar\tis\tmiddle half\twant\t\n")
	for _, b := range rep.Bars {
		sign, verdict := "at least", "holds"
		if b.Most {
			sign = "at most"
		}
		if !b.Holds {
			verdict = "FAILS"
		}
		spread := ""
		if b.Low > 0 {
			spread = fmt.Sprintf("%.2f to %.2f", b.Low, b.High)
		}
		if b.Bar == 0 {
			fmt.Fprintf(w, "%s\t%.2f\t%s\t\n", b.Name, b.Value, spread)
			continue
		}
		fmt.Fprintf(w, "%s\t%.2f\t%s\t%s %g\t%s\n", b.Name, b.Value, spread, sign, b.Bar, verdict)
	}
	return w.Flush()
}
