package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"tcode/server/store/storetest"
)

// A row is one server in one case. Of sync, requests are scans, and latencies
// those of whole batches.
type row struct {
	Engine    string  `json:"engine"`
	Stamps    int     `json:"stamps"`
	Case      string  `json:"case"`
	Server    string  `json:"server"`
	Requests  int     `json:"requests"`
	PerSecond float64 `json:"perSecond"`
	CPU       float64 `json:"cpuMicros"` // of the server, a request
	P50       float64 `json:"p50Ms"`
	P99       float64 `json:"p99Ms"`
	RSS       float64 `json:"rssMiB"` // of the server's own process
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// fill puts in the medians of samples, and the latencies of all of them.
func (r *row) fill(samples []sample) {
	var perSecond, cpu []float64
	var all []time.Duration
	for _, s := range samples {
		n := float64(len(s.latencies))
		perSecond, cpu = append(perSecond, n/s.took.Seconds()), append(cpu, micros(s.cpu)/n)
		all = append(all, s.latencies...)
	}
	slices.Sort(all)
	at := func(share float64) float64 { return micros(all[int(share*float64(len(all)-1))]) / 1000 }
	r.Requests, r.PerSecond, r.CPU, r.P50, r.P99 = len(all), median(perSecond), median(cpu), at(0.5), at(0.99)
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// A bar is a figure that must hold, or one beside those.
type bar struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Bar   float64 `json:"bar"`  // 0: none
	Most  bool    `json:"most"` // the bar is the most that is allowed, else the least
	Holds bool    `json:"holds"`
}

// The bars. Ratios are of CPU a request.
const (
	mostOfBare  = 1.3
	leastOfPeer = 4
	leastScans  = 3000 // a second, the load generator on the same machine
	mostOfFewer = 1.5  // with the most stamps, to that with the fewest
)

func bars(rows []row) (out []bar) {
	add := func(name string, value, limit float64, most bool) {
		out = append(out, bar{name, value, limit, most, limit == 0 || value == limit || most == (value < limit)})
	}
	ratio := func(name string, of, to, limit float64, most bool) {
		if of > 0 && to > 0 { // else it was too little to be counted in ticks of 10 ms
			add(name, of/to, limit, most)
		}
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
				ratio(fmt.Sprintf("%s: %s, gateway to bare", where, r.Case), r.CPU, other.CPU, mostOfBare, true)
			case bareDefaultGC:
				ratio(fmt.Sprintf("%s: %s, gateway to %s", where, r.Case, other.Server), r.CPU, other.CPU, 0, true)
			case pocketBase:
				least := 0.0
				if r.Engine == string(storetest.SQLite) { // the one that PocketBase has
					least = leastOfPeer
				}
				ratio(fmt.Sprintf("%s: %s, PocketBase with a record to gateway", where, r.Case), other.CPU, r.CPU, least, false)
			case pocketBase + " " + pbLookUp:
				ratio(fmt.Sprintf("%s: %s, PocketBase without one to gateway", where, r.Case), other.CPU, r.CPU, 0, false)
			}
		}
		if r.Case == syncing {
			add(where+": scans a second", r.PerSecond, leastScans, false)
		} else if few := fewest(rows, r); few.Stamps < r.Stamps {
			ratio(fmt.Sprintf("%s: %s, to %d stamps", where, r.Case, few.Stamps), r.CPU, few.CPU, mostOfFewer, true)
		}
	}
	return out
}

// fewest is the row like r with the fewest stamps.
func fewest(rows []row, r row) row {
	for _, other := range rows {
		if other.Engine == r.Engine && other.Case == r.Case && other.Server == r.Server && other.Stamps < r.Stamps {
			r = other
		}
	}
	return r
}

type report struct {
	PocketBase string `json:"pocketBase,omitempty"` // why it is not there
	Rows       []row  `json:"rows"`
	Bars       []bar  `json:"bars"`
}

// print writes tables for people.
func (rep report) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "engine\tstamps\tcase\tserver\trequests\t/s\tCPU µs\tp50 ms\tp99 ms\tRSS MiB\t\n")
	for _, r := range rep.Rows {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%d\t%.0f\t%.1f\t%.2f\t%.2f\t%.0f\t\n",
			r.Engine, r.Stamps, r.Case, r.Server, r.Requests, r.PerSecond, r.CPU, r.P50, r.P99, r.RSS)
	}
	if rep.PocketBase != "" {
		fmt.Fprintf(w, "PocketBase: %s\n", rep.PocketBase)
	}
	fmt.Fprintln(w)
	if err := w.Flush(); err != nil {
		return err
	}
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "bar\tis\twant\t\n")
	for _, b := range rep.Bars {
		sign, verdict := "at least", "holds"
		if b.Most {
			sign = "at most"
		}
		if !b.Holds {
			verdict = "FAILS"
		}
		if b.Bar == 0 {
			fmt.Fprintf(w, "%s\t%.2f\t\t\n", b.Name, b.Value)
			continue
		}
		fmt.Fprintf(w, "%s\t%.2f\t%s %g\t%s\n", b.Name, b.Value, sign, b.Bar, verdict)
	}
	return w.Flush()
}
