package still

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"tcode/offline/contain"
	"tcode/scanner/gray"
	"tcode/scanner/symbol"
)

// Budget is the time for all looks at a picture together, if the options name none.
const Budget = 30 * time.Second

// A Picture is a decoded picture, wherever its pixels are.
type Picture interface {
	// Size returns the size in px, as the picture is shown.
	Size() (width, height int)
	// Gray makes into the part of the picture, reduced by a whole number, 1 or more, as [gray.Shrink] does. The pixels
	// are the luminance of ITU-R BT.601 over white. part lies in the picture.
	Gray(into *gray.Image, part gray.Rect, by int) error
}

var (
	// ErrTime means that the time was over before the whole picture was searched once.
	ErrTime = errors.New("the time for this picture ran out")
	// ErrReader means a fault of the reader.
	ErrReader = errors.New("the reader failed")
)

// A Result is what a picture shows.
type Result struct {
	Reading symbol.Reading // corners in px of the picture that was read, which may be a reduced one
	DPI     float64        // of the picture that was read; 0: not known
	Looks   int            // pictures and parts that were read
}

// Read searches a picture. dpi is its resolution, 0 if it is not known. A zero Budget of opt is [Budget]; Read sets the DPI of
// opt. Errors: [ErrTime], [ErrReader], and those of p; then nothing is known about the picture.
func Read(ctx context.Context, p Picture, dpi float64, opt symbol.Options) (Result, error) {
	if opt.Budget <= 0 {
		opt.Budget = Budget
	}
	s := &search{ctx: ctx, picture: p, opt: opt, end: time.Now().Add(opt.Budget)}
	w, h := p.Size()
	by := gray.Reduction(w, h, symbol.WholePixels)
	s.opt.DPI = dpi / float64(by)
	first, whole, err := s.look(gray.Rect{X1: w, Y1: h}, by)
	if err != nil {
		return Result{}, err
	}
	result := Result{first, s.opt.DPI, 1}
	if len(first.Symbols) > 0 || by == 1 && whole {
		return result, nil
	}
	if by == 1 {
		return Result{}, s.fault()
	}
	s.opt.DPI = dpi
	closer, all, err := s.closer(w, h)
	result.Looks += s.looks
	switch {
	case err != nil:
		return Result{}, err
	case all || len(closer.Symbols) > 0:
		result.Reading, result.DPI = closer, dpi
	case whole: // the closer look is optional: the first answer remains
		why := &result.Reading.Reason
		why.Message += "; the time for closer looks ran out before a closer look ended"
		why.Advice = "send the part with the stamp alone"
	default:
		return Result{}, s.fault()
	}
	return result, nil
}

// search is one call of Read.
type search struct {
	ctx      context.Context
	picture  Picture
	opt      symbol.Options
	end      time.Time
	image    gray.Image // its memory is that of the parts before
	panicked bool
	looks    int
}

// closer reads the parts. all reports whether every part was searched everywhere.
func (s *search) closer(w, h int) (reading symbol.Reading, all bool, err error) {
	var parts []symbol.Reading
	all = true
	for _, part := range gray.Split(w, h, symbol.PartPixels) {
		if time.Now().After(s.end) || s.ctx.Err() != nil {
			all = false
			break
		}
		s.looks++
		one, searched, err := s.look(part, 1)
		if err != nil {
			return symbol.Reading{}, false, err
		}
		one.Move(part.X0, part.Y0)
		parts, all = append(parts, one), all && searched
	}
	return symbol.Together(parts), all, nil
}

// look reads a part of the picture. all reports whether it was searched everywhere. The pixels come from a stranger's file: a fault of the
// reader must cost this look, not the program.
func (s *search) look(part gray.Rect, by int) (reading symbol.Reading, all bool, err error) {
	if err := s.picture.Gray(&s.image, part, by); err != nil {
		return symbol.Reading{}, false, fmt.Errorf("pixels of a picture: %w", err)
	}
	defer func() {
		if value := recover(); value != nil {
			contain.Recovered("still", value)
			s.panicked = true
			reading, all, err = symbol.Reading{}, false, nil
		}
	}()
	opt := s.opt
	opt.Budget = max(time.Until(s.end), time.Millisecond)
	reading = symbol.ReadImage(s.ctx, &s.image, opt)
	runtime.GC() // the collector itself waits until there is as much garbage as memory in use
	return reading, reading.Reason.Code != symbol.CodeOutOfTime, nil
}

// fault is the reason why nothing is known about a picture.
func (s *search) fault() error {
	switch {
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case s.panicked:
		return ErrReader
	}
	return ErrTime
}

// A Memory is a picture in memory.
type Memory gray.Image

// Size returns the size in px.
func (m *Memory) Size() (width, height int) { return m.Width, m.Height }

// Gray makes into the part of m, reduced by a whole number.
func (m *Memory) Gray(into *gray.Image, part gray.Rect, by int) error {
	gray.Shrink(into, (*gray.Image)(m).Crop(part), by)
	return nil
}
