package viewfinder

import (
	"context"
	"math"
	"time"

	"tcode/scanner/gray"
	"tcode/scanner/symbol"
)

const (
	// wholeEvery is the period in which the whole frame is searched: another symbol may have come into it.
	wholeEvery = 3
	// margin is the share of a symbol's longer side that is searched around it on each side. A hand moves by less between frames.
	margin = 0.6
	// least is the smallest side of a part that is searched, px. A smaller one has too little paper around its symbol.
	least = 96
	// kept is the number of frames for which a place without a symbol is remembered.
	kept = 4
	// deepAfter is the number of whole frames in a row whose search did not end in time before a deep search begins.
	deepAfter = 2
)

// A Viewfinder remembers what the frames before showed. The zero value has seen none. It is not safe for concurrent use.
type Viewfinder struct {
	// Budget bounds the search of one frame; zero: 30 ms, and on a slower machine up to 105 ms. Where the search of
	// whole frames does not end in time, a deep search takes the time of every second frame.
	Budget time.Duration
	// Clock returns the time since any start; nil: wall time. Look calls it often, in its own goroutine.
	Clock func() time.Duration

	pace          pace
	place         gray.Rect // of what was seen last, px; empty: nothing
	width, height int       // of the frame before, px
	frames        int       // since the whole frame was searched
	wholes        int       // frames that were searched as a whole
	missed        int       // frames since something was seen at place
	cut           int       // whole frames in a row whose search did not end in time
	deep          deep
	before        Look // the last one
	hints         hints
}

// A Look is the result for one frame.
type Look struct {
	Symbols []symbol.Symbol // read; corners in px of the frame
	Seen    bool            // something looks like a symbol: Corners and ModulePx are known
	// Corners are those of the first symbol, or of what looks most like one: top left, top right, bottom right and bottom left
	// of the symbol itself, px of the frame.
	Corners  [4][2]float64
	ModulePx float64 // mean side of a module, px
	Hint     Hint    // what to do, by the last frames
	Whole    bool    // the whole frame was searched
	Reason   symbol.Reason

	late bool // nothing was read in the time that the frame had
}

// Read reports whether a symbol was read.
func (l Look) Read() bool { return len(l.Symbols) > 0 }

// Look searches one frame. It aliases no pixels of img after it has returned. It stops early when ctx ends.
func (v *Viewfinder) Look(ctx context.Context, img *gray.Image) Look {
	if !img.Valid() || img.Width == 0 || img.Height == 0 {
		return Look{Whole: true, Reason: symbol.ReadImage(ctx, &gray.Image{}, symbol.Options{}).Reason}
	}
	if img.Width != v.width || img.Height != v.height { // the phone was turned, or the camera changed
		v.deep.end()
		*v = Viewfinder{Budget: v.Budget, Clock: v.Clock, pace: v.pace, width: img.Width, height: img.Height}
	}
	if v.Clock == nil {
		start := time.Now()
		v.Clock = func() time.Duration { return time.Since(start) }
	}
	out, done := v.look(ctx, img)
	if !done {
		return out
	}
	v.learn(out)
	v.hints.add(hintOf(out, img))
	out.Hint = v.hints.strongest()
	if out.Read() {
		v.hints = hints{}
		out.Hint = ""
		v.deep.end()
	}
	v.before = out
	return out
}

// look searches the part of a frame whose turn it is, or goes on with the deep search. done is false if that has not ended: then the
// result is the one before, without symbols.
func (v *Viewfinder) look(ctx context.Context, img *gray.Image) (out Look, done bool) {
	limit := v.Budget
	if limit == 0 {
		limit = v.pace.budget(v.Clock)
	}
	v.frames++
	if v.cut >= deepAfter && v.frames == 1 {
		if !v.deep.running() {
			v.deep.begin(img, limit, v.Clock)
		}
		if out, done = v.deep.step(v.Clock() + limit); done {
			v.cut = 0
			return out, true
		}
		out = v.before
		out.Symbols, out.Whole = nil, false
		return out, false
	}
	part := v.part()
	return search(ctx, img, part, v.options(limit)), true
}

// part returns the part of the next frame to search.
func (v *Viewfinder) part() gray.Rect {
	if v.place.Empty() || v.frames >= wholeEvery {
		v.frames = 0
		v.wholes++
		return gray.Rect{X1: v.width, Y1: v.height}
	}
	long := max(v.place.X1-v.place.X0, v.place.Y1-v.place.Y0)
	grow := max(int(margin*float64(long)), (least-long)/2)
	return v.place.Grow(grow).Clip(v.width, v.height)
}

// options returns those of the next frame. Light symbols on dark ground, such as on screens, are rare: every second whole frame
// is searched for them too.
func (v *Viewfinder) options(limit time.Duration) symbol.Options {
	return symbol.Options{MaxSymbols: 1, Budget: limit, Clock: v.Clock, Inverted: v.frames == 0 && v.wholes%2 == 0}
}

// learn remembers the place of what was seen.
func (v *Viewfinder) learn(l Look) {
	switch {
	case l.Read():
		v.cut = 0
	case l.Whole && l.late:
		v.cut++
	case l.Whole && v.wholes%2 == 0: // light symbols were searched for too
		v.cut = 0
	}
	if l.Seen {
		v.place, v.missed = around(l.Corners).Clip(v.width, v.height), 0
		return
	}
	if v.missed++; l.Whole || v.missed >= kept {
		v.place = gray.Rect{}
	}
}

// search reads a part of img.
func search(ctx context.Context, img *gray.Image, part gray.Rect, opt symbol.Options) Look {
	var likely *symbol.TraceTry
	start := opt.Clock()
	opt.Watch = func(t *symbol.Trace) {
		for i := range t.Tries {
			if c := &t.Tries[i]; likely == nil || c.Candidate.Confidence() > likely.Candidate.Confidence() {
				likely = c
			}
		}
	}
	reading := symbol.ReadImage(ctx, img.Crop(part), opt)
	reading.Move(part.X0, part.Y0)
	out := Look{
		Symbols: reading.Symbols, Reason: reading.Reason,
		Whole: part == gray.Rect{X1: img.Width, Y1: img.Height},
		late:  len(reading.Symbols) == 0 && opt.Clock()-start > opt.Budget,
	}
	switch {
	case out.Read():
		out.Seen, out.Corners, out.ModulePx = true, out.Symbols[0].Corners, out.Symbols[0].ModulePx
	case likely != nil && told(reading.Reason.Code):
		out.Seen, out.ModulePx = true, likely.Candidate.Module()
		for i, p := range likely.Candidate.Corners {
			out.Corners[i] = [2]float64{p.X + float64(part.X0), p.Y + float64(part.Y0)}
		}
	}
	return out
}

// told reports whether a reason of this code is about something that was seen.
func told(code string) bool {
	switch code {
	case symbol.CodeQuietZoneCut, symbol.CodeTooFewPixels, symbol.CodeBlurred, symbol.CodeDamaged:
		return true
	}
	return false
}

// around returns the smallest box around corners.
func around(corners [4][2]float64) gray.Rect {
	lo, hi := corners[0], corners[0]
	for _, c := range corners {
		for i := range c {
			lo[i], hi[i] = min(lo[i], c[i]), max(hi[i], c[i])
		}
	}
	return gray.Rect{X0: int(math.Floor(lo[0])), Y0: int(math.Floor(lo[1])), X1: int(math.Ceil(hi[0])), Y1: int(math.Ceil(hi[1]))}
}
