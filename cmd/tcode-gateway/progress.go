package main

import (
	"io"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"tcode/cmd/internal/cli"
)

// progress is a bar of bytes on the error stream while that is a terminal, and
// silent elsewhere.
type progress struct {
	bars *mpb.Progress
	bar  *mpb.Bar
}

func newProgress(w io.Writer) *progress {
	if !cli.IsTerminal(w) {
		return &progress{}
	}
	bars := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40))
	bar := bars.AddBar(0,
		mpb.PrependDecorators(decor.CountersKibiByte("% .1f of % .1f")),
		mpb.AppendDecorators(decor.AverageETA(decor.ET_STYLE_GO)),
		mpb.BarRemoveOnComplete())
	return &progress{bars, bar}
}

// at says how many of how many bytes are done.
func (p *progress) at(done, total int64) {
	if p.bar != nil {
		p.bar.SetTotal(total, false)
		p.bar.SetCurrent(done)
	}
}

func (p *progress) done() {
	if p.bars != nil {
		p.bar.Abort(true)
		p.bars.Wait()
	}
}
