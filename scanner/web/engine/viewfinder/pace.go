package viewfinder

import (
	"slices"
	"time"
)

const (
	// usual is the budget of a frame on a machine of usual pace: a camera gives a frame every 33 ms, of which the last step of a
	// search, which ends late, and the copy of the frame take the rest.
	usual = 30 * time.Millisecond
	// mostSlow bounds the pace: on a machine that is slower still, a frame ends before all of it was searched.
	mostSlow = 3.5
	// probeSteps are the steps of a probe, and usualProbe is their time in Chromium on the machine of the published figures.
	probeSteps = 1 << 18
	usualProbe = 1400 * time.Microsecond
	// probes is the number of probes that are remembered. probeEvery is the number of frames for each after the first ones.
	probes, probeEvery = 5, 8
)

// A pace knows how fast this machine is at present: phones are slower, and slower yet when they are hot. The zero value
// knows nothing.
type pace struct {
	times  [probes]time.Duration // of the last probes
	count  int                   // of probes
	frames int
	sum    byte // of all probes, so that no compiler leaves them out
}

// budget returns the budget of the next frame: usual, and as many times that as the machine is slower than usual, up to mostSlow.
func (p *pace) budget(clock func() time.Duration) time.Duration {
	if p.count < probes || p.frames%probeEvery == 0 {
		start := clock()
		p.sum += probe()
		p.times[p.count%probes] = clock() - start
		p.count++
	}
	p.frames++
	known := slices.Sorted(slices.Values(p.times[:min(p.count, probes)]))
	took := known[(len(known)-1)/3] // other programs make some probes longer, and none shorter
	slow := min(max(1, float64(took)/float64(usualProbe)), mostSlow)
	return time.Duration(slow * float64(usual))
}

// probe is a fixed amount of work: like a search, it takes steps through bytes, with tests that no processor foresees.
func probe() (sum byte) {
	var bytes [1 << 12]byte
	state := uint32(1)
	for range probeSteps {
		state = state*1664525 + 1013904223
		if at := &bytes[state>>20]; *at < byte(state>>12) {
			*at += 3
		} else {
			sum += *at
		}
	}
	return sum
}
