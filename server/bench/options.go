package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"tcode/server/store/storetest"
)

type options struct {
	stamps     []int // ascending
	engines    []storetest.Engine
	duration   time.Duration // of one case on one server
	rounds     int           // the servers take turns
	conns      int
	scans      int // to sync, of each engine
	pocketbase string
	json       bool
}

func parse(args []string, progress io.Writer) (options, error) {
	o := options{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(progress)
	stamps := f.String("stamps", "1000,1000000", "how many stamps the database holds, one run each")
	engines := f.String("engine", "sqlite,postgres", "engines: sqlite, postgres")
	seconds := f.Float64("seconds", 6, "how long each server is asked in each case")
	f.IntVar(&o.rounds, "rounds", 3, "turns that this is spread over; figures are medians")
	f.IntVar(&o.conns, "conns", 4, "connections that ask at the same time")
	f.IntVar(&o.scans, "scans", 20_000, "scans that are synced, at most one of each stamp")
	f.StringVar(&o.pocketbase, "pocketbase", "server/bench/pocketbase", "folder of the PocketBase module; empty: left out")
	f.BoolVar(&o.json, "json", false, "print one JSON document instead of tables")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	for s := range strings.SplitSeq(*stamps, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < minStamps {
			return o, fmt.Errorf("--stamps %q: want numbers of at least %d", s, minStamps)
		}
		o.stamps = append(o.stamps, n)
	}
	slices.Sort(o.stamps)
	for s := range strings.SplitSeq(*engines, ",") {
		e := storetest.Engine(s)
		if e != storetest.SQLite && e != storetest.Postgres {
			return o, fmt.Errorf("--engine %q: want sqlite or postgres", s)
		}
		o.engines = append(o.engines, e)
	}
	o.duration = time.Duration(*seconds * float64(time.Second))
	if o.duration <= 0 || o.rounds < 1 || o.conns < 1 || o.scans < 1 {
		return o, fmt.Errorf("--seconds, --rounds, --conns and --scans must be above zero")
	}
	return o, nil
}
