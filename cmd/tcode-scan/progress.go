package main

import (
	"io"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress is a bar on the error stream while it is a terminal, and silent
// elsewhere or when there is only one thing to do.
type progress struct {
	bars *mpb.Progress
	bar  *mpb.Bar
}

func newProgress(w io.Writer, total int, what string) *progress {
	if total < 2 || !isTerminal(w) {
		return &progress{}
	}
	bars := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40))
	bar := bars.AddBar(int64(total),
		mpb.PrependDecorators(decor.CountersNoUnit("%d of %d "+what)),
		mpb.AppendDecorators(decor.AverageETA(decor.ET_STYLE_GO)),
		mpb.BarRemoveOnComplete())
	return &progress{bars, bar}
}

func (p *progress) step() {
	if p.bar != nil {
		p.bar.Increment()
	}
}

// through returns where to write instead of w while the bar is shown: lines for
// a terminal go above the bar instead of into it.
func (p *progress) through(w io.Writer) io.Writer {
	if p.bars == nil || !isTerminal(w) {
		return w
	}
	return p.bars
}

func (p *progress) done() {
	if p.bars != nil {
		p.bar.Abort(true)
		p.bars.Wait()
	}
}
