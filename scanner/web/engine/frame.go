package engine

import (
	"context"
	"errors"
	"time"

	"tcode/offline/contain"
	"tcode/scanner/answer"
	"tcode/scanner/gray"
	"tcode/scanner/symbol"
	"tcode/scanner/web/engine/viewfinder"
	"tcode/sync/wire"
)

// Bounds of a frame.
const (
	leastSide  = 16
	mostSide   = 4096 // px
	mostPixels = 8_300_000
)

var (
	// ErrBusy means that another document is being read: send the next frame later.
	ErrBusy = errors.New("another document is being read")
	// ErrFrame means that a frame has no pixels, or more than the bounds allow.
	ErrFrame = errors.New("a frame has 16 to 4,096 px a side, and at most 8.3 million pixels")
)

// NotATCode is the hint of a [Look] at a symbol that is none of ours.
const NotATCode viewfinder.Hint = "not_a_tcode"

// frames is the memory from one frame to the next.
type frames struct {
	finder viewfinder.Viewfinder
	series viewfinder.Series[Answer]
}

// A Seen is something like a symbol on a frame.
type Seen struct {
	Corners  [4][2]float64 `json:"corners"` // px of the frame
	ModulePx float64       `json:"modulePx"`
	Read     bool          `json:"read"`
}

// A Repeat is the earlier answer about a symbol, in a series.
type Repeat struct {
	ScanID string `json:"scanId"`
	AgoMs  int64  `json:"agoMs"`
	Answer Answer `json:"answer"`
}

// A Look is the result of one frame.
type Look struct {
	Seen   *Seen           `json:"seen"`
	Hint   viewfinder.Hint `json:"hint"`
	Answer *Answer         `json:"answer"`
	Repeat *Repeat         `json:"repeat"`
	Whole  bool            `json:"whole"` // the whole frame was searched
	ReadMs int64           `json:"readMs"`
	// Foreign is the text of a symbol that is not a TCode, such as an enrolment code.
	Foreign string `json:"-"`
}

// Frame reads a picture of the camera, as package viewfinder does. In a series a symbol that was
// answered since [New] makes no new scan, as long as the series remembers it.
// Errors: ErrBusy, ErrFrame, and those of the stores; then there is no verdict.
func (e *Engine) Frame(ctx context.Context, img *gray.Image, series bool, where wire.Context) (Look, error) {
	if !img.Valid() || min(img.Width, img.Height) < leastSide || max(img.Width, img.Height) > mostSide || img.Width*img.Height > mostPixels {
		return Look{}, ErrFrame
	}
	if !e.turn.TryLock() {
		return Look{}, ErrBusy
	}
	defer e.turn.Unlock()
	if contain.Seeded { // the engine is as short as can be
		contain.Seed("engine-frame")
	}
	start := time.Now()
	seen := e.frame.finder.Look(ctx, img)
	look := Look{Hint: seen.Hint, Whole: seen.Whole, ReadMs: time.Since(start).Milliseconds()}
	if seen.Seen {
		look.Seen = &Seen{seen.Corners, seen.ModulePx, seen.Read()}
	}
	if !seen.Read() {
		return look, nil
	}
	return e.frameAnswer(ctx, look, seen.Symbols, series, where)
}

// frameAnswer fills in the answer about the symbols of a frame.
func (e *Engine) frameAnswer(ctx context.Context, look Look, symbols []symbol.Symbol, series bool, where wire.Context) (Look, error) {
	text := symbols[0].Text
	if before, ok := e.frame.series.Repeat(text); ok && series {
		look.Repeat = &Repeat{before.Answer.Findings[0].ScanID, e.cfg.Now().Sub(before.At).Milliseconds(), before.Answer}
		return look, nil
	}
	r := answer.Read("camera", nil, func() (*answer.Judge, error) { return e.judge(ctx) })
	if err := r.Page(answer.Page{Number: 1, Count: 1, Reading: symbol.Reading{Symbols: symbols}}); err != nil {
		return Look{}, err
	}
	if !r.Found() {
		look.Hint, look.Foreign = NotATCode, text
		return look, nil
	}
	a, err := e.conclude(ctx, r, "camera", where)
	if err != nil {
		return Look{}, err
	}
	e.frame.series.Add(text, a, e.cfg.Now())
	look.Answer = &a
	return look, nil
}

// EndSeries forgets the answers of the series: the trust documents have changed, and so may answers.
func (e *Engine) EndSeries() {
	e.turn.Lock()
	defer e.turn.Unlock()
	e.frame.series = viewfinder.Series[Answer]{}
}

// Warm reads img and forgets the result: the first real frame then takes no longer than others.
func (e *Engine) Warm(ctx context.Context, img *gray.Image) {
	new(viewfinder.Viewfinder).Look(ctx, img)
}
