package cli

import (
	"io"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// A Progress is a bar on the error stream if that is a terminal, and does
// nothing otherwise. It is not safe for concurrent use.
type Progress struct {
	bars *mpb.Progress
	bar  *mpb.Bar
}

// NewProgress returns a bar for a number of things. The argument what is
// their name in the plural. total is 0 if it is not known yet.
func NewProgress(w io.Writer, total int, what string) *Progress {
	return newBar(w, total, decor.CountersNoUnit("%d of %d "+what))
}

// NewByteProgress returns a bar for a number of bytes.
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

// At shows that done of total are done.
func (p *Progress) At(done, total int64) {
	if p.bar != nil {
		p.bar.SetTotal(total, false)
		p.bar.SetCurrent(done)
	}
}

// Step shows that one more is done.
func (p *Progress) Step() {
	if p.bar != nil {
		p.bar.Increment()
	}
}

// Through returns the writer to use instead of w while the bar is shown: lines
// for a terminal then go above the bar.
func (p *Progress) Through(w io.Writer) io.Writer {
	if p.bars == nil || !IsTerminal(w) {
		return w
	}
	return p.bars
}

// Done removes the bar. It may be called twice.
func (p *Progress) Done() {
	if p.bars != nil {
		p.bar.Abort(true)
		p.bars.Wait()
		p.bars, p.bar = nil, nil
	}
}
