package mkvectors_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"tcode/offline"
)

// clockVectors makes testdata/vectors/clock: one situation of the clock rules a
// file, as [offline.ClockVector] in JSON. Each expected answer is written
// next to the situation.
func clockVectors() (files, error) {
	made := files{}
	for _, c := range clockCases() {
		v := offline.ClockVector{
			Comment: c.comment, Now: noon,
			StatusAsOf: noon.Add(-time.Hour), Expires: noon.Add(23 * time.Hour), SetExpires: noon.Add(100 * day),
		}
		if c.change != nil {
			c.change(&v)
		}
		v.Want = v.Run()
		age := time.Duration(-1)
		if v.Want.AgeSeconds != nil {
			age = time.Duration(*v.Want.AgeSeconds) * time.Second
		}
		w := v.Want
		if got := (clockWant{w.Basis, w.Reading, age, w.Stale, w.Expired}); got != c.want || w.Suspect != (w.Reading != offline.ClockFits) {
			return nil, fmt.Errorf("%s: got %+v, suspect %v; want %+v", c.name, got, w.Suspect, c.want)
		}
		file, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return nil, err
		}
		if err := made.add(c.name+".json", append(bytes.TrimSpace(file), '\n')); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// clockWant is an answer; age -1: unknown.
type clockWant struct {
	basis   offline.Basis
	reading offline.Reading
	age     time.Duration
	stale   bool
	expired bool
}

// clockCase is one vector: an hour-old trust state at noon, and the change to it.
type clockCase struct {
	name, comment string
	change        func(v *offline.ClockVector)
	want          clockWant
}

// prove gives the device a proof of that time, taken so long ago.
func prove(v *offline.ClockVector, said time.Time, ago time.Duration) {
	v.Proof = offline.VectorProof{Time: said, Boot: offline.VectorBoot{ID: "boot", Seconds: 1000}}
	v.Boot = offline.VectorBoot{ID: "boot", Seconds: 1000 + int64(ago/time.Second)}
}

// restart restarts the machine after that.
func restart(v *offline.ClockVector) {
	v.Boot = offline.VectorBoot{ID: "next", Seconds: v.Boot.Seconds}
}

func clockCases() []clockCase {
	const clock, proven = offline.DeviceClock, offline.Proven
	const hour, nobody = time.Hour, time.Duration(-1)
	dead := time.Date(1973, 5, 1, 0, 0, 0, 0, time.UTC)
	return []clockCase{
		{"clock-fits", "the device's clock, above every floor", nil, clockWant{clock, offline.ClockFits, hour, false, false}},
		{"clock-nothing-held", "no trust state: nothing has an age", func(v *offline.ClockVector) {
			v.StatusAsOf, v.Expires, v.SetExpires = time.Time{}, time.Time{}, time.Time{}
		}, clockWant{clock, offline.ClockFits, nobody, true, false}},
		{"clock-at-document", "at the newest document, to the second", func(v *offline.ClockVector) { v.Now = v.StatusAsOf }, clockWant{clock, offline.ClockFits, 0, false, false}},
		{"clock-below-document", "a second below it", func(v *offline.ClockVector) { v.Now = v.StatusAsOf.Add(-time.Second) }, clockWant{clock, offline.ClockBelowDocument, nobody, true, false}},
		{"clock-dead", "a dead real-time clock", func(v *offline.ClockVector) { v.Now = dead }, clockWant{clock, offline.ClockBelowDocument, nobody, true, false}},
		{"clock-below-older-document", "a document of a higher date was accepted before", func(v *offline.ClockVector) { v.Floor = noon.Add(time.Second) }, clockWant{clock, offline.ClockBelowDocument, nobody, true, false}},
		{"clock-at-scan", "10 minutes below the newest scan", func(v *offline.ClockVector) { v.NewestScan = noon.Add(10 * time.Minute) }, clockWant{clock, offline.ClockFits, hour, false, false}},
		{"clock-below-scan", "a second more", func(v *offline.ClockVector) { v.NewestScan = noon.Add(10*time.Minute + time.Second) }, clockWant{clock, offline.ClockBelowScan, nobody, true, false}},
		{"clock-fresh-edge", "24 hours", func(v *offline.ClockVector) { v.Now, v.Expires = noon.Add(23*hour), noon.Add(100*day) }, clockWant{clock, offline.ClockFits, day, false, false}},
		{"clock-stale", "a second more", func(v *offline.ClockVector) { v.Now, v.Expires = noon.Add(23*hour+time.Second), noon.Add(100*day) }, clockWant{clock, offline.ClockFits, day + time.Second, true, false}},
		{"clock-expired", "7 days", func(v *offline.ClockVector) { v.Now, v.Expires = noon.Add(7*day-hour), noon.Add(100*day) }, clockWant{clock, offline.ClockFits, 7 * day, true, true}},
		{"clock-ahead", "a clock far ahead makes nothing fresh", func(v *offline.ClockVector) { v.Now = noon.Add(400 * day) }, clockWant{clock, offline.ClockFits, 400*day + hour, true, true}},
		{"clock-marked", "the held document was shown to be dated ahead, and its date has come since", func(v *offline.ClockVector) { v.Ahead = true }, clockWant{clock, offline.ClockFits, nobody, true, false}},

		{"proven-fits", "a proof half an hour ago", func(v *offline.ClockVector) { prove(v, noon.Add(-hour/2), hour/2) }, clockWant{proven, offline.ClockFits, hour, false, false}},
		{"proven-dead-clock", "the clock is in 1973, the proof is not", func(v *offline.ClockVector) { v.Now = dead; prove(v, noon, 0) }, clockWant{proven, offline.ClockBehindProof, hour, false, false}},
		{"proven-behind-edge", "10 minutes behind fit", func(v *offline.ClockVector) { v.Now = noon.Add(-10 * time.Minute); prove(v, noon, 0) }, clockWant{proven, offline.ClockFits, hour, false, false}},
		{"proven-behind", "a second more does not", func(v *offline.ClockVector) { v.Now = noon.Add(-10*time.Minute - time.Second); prove(v, noon, 0) }, clockWant{proven, offline.ClockBehindProof, hour, false, false}},
		{"proven-ahead", "a clock that runs ahead no longer blocks", func(v *offline.ClockVector) { v.Now = noon.Add(400 * day); prove(v, noon, 0) }, clockWant{proven, offline.ClockAheadOfProof, hour, false, false}},
		{"proven-scan-ahead", "nor does a scan that was recorded by it", func(v *offline.ClockVector) { v.NewestScan = noon.Add(400 * day); prove(v, noon, 0) }, clockWant{proven, offline.ClockFits, hour, false, false}},
		{"proven-floor-ahead", "nor a floor from a clock of the gateway's", func(v *offline.ClockVector) { v.Floor = noon.Add(400 * day); prove(v, noon, 0) }, clockWant{proven, offline.ClockFits, hour, false, false}},
		{"proven-asleep", "the boot-time clock has counted 25 hours, the device's clock none", func(v *offline.ClockVector) { prove(v, noon, 25*hour); v.Expires = noon.Add(100 * day) }, clockWant{proven, offline.ClockBehindProof, 26 * hour, true, false}},
		{"proven-expired", "8 days", func(v *offline.ClockVector) { prove(v, noon, 8*day); v.Expires = noon.Add(100 * day) }, clockWant{proven, offline.ClockBehindProof, 8*day + hour, true, true}},
		{"proven-timestamp-expires", "the gateway asked for less than 24 hours", func(v *offline.ClockVector) { prove(v, noon, 0); v.Expires = noon }, clockWant{proven, offline.ClockFits, hour, true, false}},
		{"proven-set-expires", "root, bundle or status expires", func(v *offline.ClockVector) { prove(v, noon, 0); v.SetExpires = noon }, clockWant{proven, offline.ClockFits, hour, true, true}},
		{"proven-document-ahead-edge", "gateways whose clocks differ by 10 minutes", func(v *offline.ClockVector) { v.StatusAsOf = noon.Add(10 * time.Minute); prove(v, noon, 0) }, clockWant{proven, offline.ClockFits, 0, false, false}},
		{"proven-document-ahead", "a second more: its date says nothing", func(v *offline.ClockVector) {
			v.StatusAsOf = noon.Add(10*time.Minute + time.Second)
			prove(v, noon, 0)
		}, clockWant{proven, offline.ClockFits, nobody, true, false}},
		{"proven-document-marked", "it stays so when its date has come", func(v *offline.ClockVector) { v.Ahead = true; prove(v, noon, 0) }, clockWant{proven, offline.ClockFits, nobody, true, false}},

		{"restarted-fits", "a proof of an earlier start is only a floor", func(v *offline.ClockVector) { prove(v, noon.Add(-hour), 9*day); restart(v) }, clockWant{clock, offline.ClockFits, hour, false, false}},
		{"restarted-at-proof", "at it, to the second", func(v *offline.ClockVector) { prove(v, noon, 0); restart(v) }, clockWant{clock, offline.ClockFits, hour, false, false}},
		{"restarted-below-proof", "a second below it", func(v *offline.ClockVector) { prove(v, noon.Add(time.Second), 0); restart(v) }, clockWant{clock, offline.ClockBelowProof, nobody, true, false}},
		{"restarted-below-document", "above the proof, below a document that came later", func(v *offline.ClockVector) {
			prove(v, noon.Add(-2*hour), 0)
			restart(v)
			v.Now = v.StatusAsOf.Add(-time.Second)
		}, clockWant{clock, offline.ClockBelowDocument, nobody, true, false}},
		{"restarted-below-scan", "above both, below a scan", func(v *offline.ClockVector) {
			prove(v, noon.Add(-2*hour), 0)
			restart(v)
			v.NewestScan = noon.Add(hour)
		}, clockWant{clock, offline.ClockBelowScan, nobody, true, false}},
		{"restarted-nothing-held", "the proof is a floor without a trust state, too", func(v *offline.ClockVector) {
			v.StatusAsOf, v.Expires, v.SetExpires = time.Time{}, time.Time{}, time.Time{}
			prove(v, noon.Add(time.Second), 0)
			restart(v)
		}, clockWant{clock, offline.ClockBelowProof, nobody, true, false}},
		{"boot-clock-back", "a boot-time clock that went back proves nothing", func(v *offline.ClockVector) { prove(v, noon, -time.Second) }, clockWant{clock, offline.ClockFits, hour, false, false}},
		{"boot-unnamed", "no name of this start: nothing tells that the proof is of it", func(v *offline.ClockVector) {
			prove(v, noon, hour)
			v.Boot.ID, v.Proof.Boot.ID = "", ""
		}, clockWant{clock, offline.ClockFits, hour, false, false}},
	}
}
