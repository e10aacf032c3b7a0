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
	rounds     int           // in which the servers take turns
	conns      int
	scans      int // to sync, of each engine
	fleet      int // devices that return together
	each       int // scans of each device
	quiet      time.Duration
	rows       []int // of bulk jobs, ascending
	pdf        string
	pocketbase string
	only       []string // parts to measure
	profile    string   // folder for the servers' profiles, or ""
	json       bool

	gateways int           // of a day
	files    string        // filesFolder or filesS3
	faults   int           //
	rate     float64       // requests a second, on average
	day      time.Duration // in which it is played
}

// Where the gateways of a day keep files.
const (
	filesFolder = "folder"
	filesS3     = "s3"
)

// The parts of a run.
const (
	partLookUps = "look-ups"
	partLists   = "lists"
	partSync    = "sync"
	partPublish = "publication"
	partBulk    = "bulk"
	partFleet   = "fleet" // only on request
	partDay     = "day"   // only on request
)

var parts = []string{partLookUps, partLists, partSync, partPublish, partBulk, partFleet, partDay}

func parse(args []string, progress io.Writer) (options, error) {
	o := options{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(progress)
	stamps := f.String("stamps", "1000,1000000", "how many stamps the databases hold")
	engines := f.String("engine", "sqlite,postgres", "engines: sqlite, postgres")
	only := f.String("only", strings.Join(parts[:len(parts)-2], ","), "parts to measure: these, fleet, and day")
	seconds := f.Float64("seconds", 12, "how long each server is asked in each case")
	f.IntVar(&o.rounds, "rounds", 12, "turns that the duration is divided into; figures are medians of them")
	f.IntVar(&o.conns, "conns", 4, "concurrent connections")
	f.IntVar(&o.scans, "scans", 20_000, "scans to sync, at most one of each stamp")
	f.IntVar(&o.fleet, "fleet", 200, "devices that return together")
	f.IntVar(&o.each, "each", 1000, "scans of each device")
	quiet := f.Float64("quiet", 5, "seconds that others are watched before a fleet comes back")
	rows := f.String("rows", "100,5000", "rows of bulk jobs, one job each")
	f.StringVar(&o.pdf, "pdf", "testdata/documents/letter.pdf", "PDF whose copies, all different, are the rows of bulk jobs")
	f.StringVar(&o.pocketbase, "pocketbase", "server/bench/pocketbase", "folder of the PocketBase module; empty: left out")
	f.StringVar(&o.profile, "profile", "", "folder that the gateway and the bare handlers write CPU profiles to")
	f.IntVar(&o.gateways, "gateways", 3, "gateways of a day")
	f.StringVar(&o.files, "files", filesS3, "where the gateways of a day keep files: s3 (versitygw, each with a folder of its own for the rest) or folder (one for all)")
	f.IntVar(&o.faults, "faults", 12, "kills, freezes and cuts of all sessions in a day")
	f.Float64Var(&o.rate, "rate", 20, "requests a second in a day, on average")
	f.DurationVar(&o.day, "day", 5*time.Minute, "time in which a day is played")
	f.BoolVar(&o.json, "json", false, "print one JSON document instead of tables")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	var err error
	if o.stamps, err = numbers("--stamps", *stamps, minStamps); err != nil {
		return o, err
	}
	if o.rows, err = numbers("--rows", *rows, 1); err != nil {
		return o, err
	}
	for s := range strings.SplitSeq(*only, ",") {
		if !slices.Contains(parts, s) {
			return o, fmt.Errorf("--only %q: want %s", s, strings.Join(parts, ", "))
		}
		o.only = append(o.only, s)
	}
	for s := range strings.SplitSeq(*engines, ",") {
		e := storetest.Engine(s)
		if e != storetest.SQLite && e != storetest.Postgres {
			return o, fmt.Errorf("--engine %q: want sqlite or postgres", s)
		}
		o.engines = append(o.engines, e)
	}
	o.quiet = time.Duration(*quiet * float64(time.Second))
	o.duration = time.Duration(*seconds * float64(time.Second))
	if o.duration <= 0 || o.rounds < 1 || o.conns < 1 || o.scans < 1 || o.fleet < 1 || o.each < 1 {
		return o, fmt.Errorf("--seconds, --rounds, --conns, --scans, --fleet and --each must be above zero")
	}
	if o.files != filesS3 && o.files != filesFolder {
		return o, fmt.Errorf("--files %q: want s3 or folder", o.files)
	}
	if o.gateways < 1 || o.faults < 0 || o.rate <= 0 || o.day < time.Second {
		return o, fmt.Errorf("--gateways and --rate must be above zero, and --day at least 1s")
	}
	return o, nil
}

// numbers reads a list of numbers, in order.
func numbers(flag, list string, least int) (out []int, err error) {
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < least {
			return nil, fmt.Errorf("%s %q: want numbers of at least %d", flag, s, least)
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return out, nil
}
