package engine

import (
	"context"
	"errors"
	"time"

	"tcode/scanner/answer"
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/symbol"
	"tcode/sync/wire"
)

// Bounds of a frame and of its reading.
const (
	leastSide   = 16
	mostSide    = 4096 // px
	mostPixels  = 8_300_000
	frameBudget = 400 * time.Millisecond
	wholeEvery  = 3 // frames; the others search only around the last symbol
)

var (
	// ErrBusy means that another document is being read: send the next frame later.
	ErrBusy = errors.New("another document is being read")
	// ErrFrame means that a frame has no pixels, or more than the bounds allow.
	ErrFrame = errors.New("a frame has 16 to 4,096 px a side, and at most 8.3 million pixels")
)

// frames is the memory from one frame to the next.
type frames struct {
	count int
	last  gray.Rect // around the last thing like a symbol; empty: none
	done  map[string]answered
}

type answered struct {
	answer Answer
	at     time.Time
}

// A Seen is something like a symbol on a frame.
type Seen struct {
	Corners  [4][2]float64 `json:"corners"` // px of the frame
	ModulePx float64       `json:"modulePx"`
	Read     bool          `json:"read"`
}

// A Repeat is the earlier answer about a symbol, in a series.
type Repeat struct {
	AgoMs  int64  `json:"agoMs"`
	Answer Answer `json:"answer"`
}

// A Look is the result of one frame.
type Look struct {
	Seen   *Seen   `json:"seen"`
	Hint   string  `json:"hint"` // as in PROTOCOL.md
	Answer *Answer `json:"answer"`
	Repeat *Repeat `json:"repeat"`
	Whole  bool    `json:"whole"` // the whole frame was searched
	ReadMs int64   `json:"readMs"`
}

// Frame reads a picture of the camera. It searches around the last symbol first, and the whole
// picture in every third frame. In a series a symbol that was answered since [New] makes no new scan.
// Errors: ErrBusy, ErrFrame, and those of the stores; then there is no verdict.
func (e *Engine) Frame(ctx context.Context, img *gray.Image, series bool, where wire.Context) (Look, error) {
	if !img.Valid() || min(img.Width, img.Height) < leastSide || max(img.Width, img.Height) > mostSide || img.Width*img.Height > mostPixels {
		return Look{}, ErrFrame
	}
	if !e.turn.TryLock() {
		return Look{}, ErrBusy
	}
	defer e.turn.Unlock()
	look, reading := e.look(ctx, img)
	if len(reading.Symbols) == 0 {
		look.Hint = hints[reading.Reason.Code]
		return look, nil
	}
	text := reading.Symbols[0].Text
	if before, ok := e.frame.done[text]; ok && series {
		look.Repeat = &Repeat{e.cfg.Now().Sub(before.at).Milliseconds(), before.answer}
		return look, nil
	}
	r := answer.Read("camera", nil, func() (*answer.Judge, error) { return e.judge(ctx) })
	if err := r.Page(answer.Page{Number: 1, Count: 1, Reading: reading}); err != nil {
		return Look{}, err
	}
	if !r.Found() {
		look.Hint = "not_a_tcode"
		return look, nil
	}
	a, err := e.conclude(ctx, r, "camera", where)
	if err != nil {
		return Look{}, err
	}
	if e.frame.done == nil {
		e.frame.done = map[string]answered{}
	}
	e.frame.done[text] = answered{a, e.cfg.Now()}
	look.Answer = &a
	return look, nil
}

// look searches a frame, and remembers where something like a symbol is.
func (e *Engine) look(ctx context.Context, img *gray.Image) (Look, symbol.Reading) {
	f := &e.frame
	f.count++
	look := Look{Whole: f.last.Area() == 0 || f.count%wholeEvery == 0}
	part, x, y := img, 0, 0
	if !look.Whole {
		box := f.last.Clip(img.Width, img.Height)
		if look.Whole = box.Area() == 0; !look.Whole {
			part, x, y = img.Crop(box), box.X0, box.Y0
		}
	}
	start := time.Now()
	opt := symbol.Options{MaxSymbols: 1, Budget: frameBudget, Inverted: look.Whole, Watch: func(t *symbol.Trace) { look.Seen = seen(t) }}
	reading := symbol.ReadImage(ctx, part, opt)
	look.ReadMs = time.Since(start).Milliseconds()
	reading.Move(x, y)
	if look.Seen != nil {
		for i := range look.Seen.Corners {
			look.Seen.Corners[i][0] += float64(x)
			look.Seen.Corners[i][1] += float64(y)
		}
		f.last = around(look.Seen.Corners)
	} else if look.Whole {
		f.last = gray.Rect{}
	}
	return look, reading
}

// seen returns the symbol of a trace, or the likeliest candidate for one.
func seen(t *symbol.Trace) *Seen {
	if len(t.Reading.Symbols) > 0 {
		s := t.Reading.Symbols[0]
		return &Seen{s.Corners, s.ModulePx, true}
	}
	var best *Seen
	score := 0.5 // of the fixed modules, below which other ink looks alike
	for i := range t.Tries {
		c := &t.Tries[i].Candidate
		if c.Score <= score || errors.Is(t.Tries[i].Err, ecc200.ErrFinder) {
			continue
		}
		score, best = c.Score, &Seen{ModulePx: c.Module()}
		for k, p := range c.Corners {
			best.Corners[k] = [2]float64{p.X, p.Y}
		}
	}
	return best
}

// around returns the corners' box with as much on each side.
func around(corners [4][2]float64) gray.Rect {
	x0, y0, x1, y1 := corners[0][0], corners[0][1], corners[0][0], corners[0][1]
	for _, c := range corners {
		x0, y0, x1, y1 = min(x0, c[0]), min(y0, c[1]), max(x1, c[0]), max(y1, c[1])
	}
	w, h := x1-x0, y1-y0
	return gray.Rect{X0: int(x0 - w), Y0: int(y0 - h), X1: int(x1 + w), Y1: int(y1 + h)}
}

// hints are the words of PROTOCOL.md for the reasons of a reading.
var hints = map[string]string{
	symbol.CodeTooFewPixels: "closer", symbol.CodeBlurred: "hold_still", symbol.CodeLowContrast: "more_light",
	symbol.CodeQuietZoneCut: "whole_stamp", symbol.CodeDamaged: "damaged",
}

// Warm reads img and forgets the result: the first real frame then takes no longer than others.
func (e *Engine) Warm(ctx context.Context, img *gray.Image) {
	symbol.ReadImage(ctx, img, symbol.Options{MaxSymbols: 1, Budget: frameBudget})
}
