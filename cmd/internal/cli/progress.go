package cli

import (
	"io"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// Progress is a bar on the error stream while that is a terminal, and silent
// elsewhere. It is not safe for concurrent use.
type Progress struct {
	bars *mpb.Progress
	bar  *mpb.Bar
}

// NewProgress shows how many of how many things, called what in the plural, are
// done. The total may be zero, for not known yet.
func NewProgress(w io.Writer, total int, what string) *Progress {
	return newBar(w, total, decor.CountersNoUnit("%d of %d "+what))
}

// NewByteProgress shows how many of how many bytes are done.
func NewByteProgress(w io.Writer) *Progress {
	return newBar(w, 0, decor.CountersKibiByte("% .1f of % .1f"))
}

func newBar(w io.Writer, total int, counters decor.Decorator) *Progress {
	if !IsTerminal(w) {
		return &Progress{}
	}
	bars := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40))
	return &Progress{bars, bars.AddBar(int64(total),
		mpb.PrependDecorators(counters),
		mpb.AppendDecorators(decor.AverageETA(decor.ET_STYLE_GO)),
		mpb.BarRemoveOnComplete())}
}

// At says how much of how much is done.
func (p *Progress) At(done, total int64) {
	if p.bar != nil {
		p.bar.SetTotal(total, false)
		p.bar.SetCurrent(done)
	}
}

// Step says that one thing more is done.
func (p *Progress) Step() {
	if p.bar != nil {
		p.bar.Increment()
	}
}

// Through returns where to write instead of w while the bar is shown: lines for
// a terminal go above the bar instead of into it.
func (p *Progress) Through(w io.Writer) io.Writer {
	if p.bars == nil || !IsTerminal(w) {
		return w
	}
	return p.bars
}

// Done takes the bar away. It may be called twice.
func (p *Progress) Done() {
	if p.bars != nil {
		p.bar.Abort(true)
		p.bars.Wait()
		p.bars, p.bar = nil, nil
	}
}
