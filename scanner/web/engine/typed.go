package engine

import (
	"context"
	"errors"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner/answer"
	"tcode/scanner/symbol"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// ErrNotTCode means that a text is not that of a TCode.
var ErrNotTCode = errors.New("the text is not that of a TCode")

// Typed judges the text of a symbol that another scanner has read. There is no picture, and no file. Errors:
// ErrNotTCode, and those of the stores; then there is no verdict.
func (e *Engine) Typed(ctx context.Context, text string, where wire.Context) (Answer, error) {
	e.turn.Lock()
	defer e.turn.Unlock()
	r := answer.Read("typed", nil, func() (*answer.Judge, error) { return e.judge(ctx) })
	page := answer.Page{Number: 1, Count: 1, Reading: symbol.Reading{Symbols: []symbol.Symbol{{Text: text}}}}
	if err := r.Page(page); err != nil {
		return Answer{}, err
	}
	if !r.Found() {
		return Answer{}, ErrNotTCode
	}
	return e.conclude(ctx, r, "typed", where)
}

// Detail of the binding of a scan that is judged again.
const noFile = "the file is not at hand any more: open it again to check it"

// Rejudge judges the payload of a scan again with the present trust state. It stores nothing but a revocation that it
// sees. settled says that the answer at the time was about the very file that was stamped, without cautions: the
// binding of the row then still counts. Otherwise only a binding that speaks against the file does.
func (e *Engine) Rejudge(ctx context.Context, row outbox.Entry, settled bool) (Answer, error) {
	judge, err := e.judge(ctx)
	if err != nil {
		return Answer{}, err
	}
	state, detail := binding.State(row.Scan.Binding), ""
	if known := state == binding.Match && settled || state == binding.Mismatch; !known {
		state, detail = binding.NotChecked, noFile
	}
	f := answer.Finding{File: row.Scan.Source, Image: row.Scan.Binding == string(binding.NotChecked), Page: max(row.Scan.Page, 1), ScanID: row.Scan.ScanID}
	if f.Result = judge.Again(row.Scan.Payload, state, detail); row.Damaged {
		f.Result.Verdict, f.Result.Reason = offline.Unverified, "The stored scan is damaged."
	}
	if f.Result.Remember {
		if err := e.cfg.Trust.Remember(ctx, f.Result.CoreHash); err != nil {
			return Answer{}, err
		}
	}
	a, err := e.answerOf([]answer.Finding{f}, "")
	a.Again = true
	return a, err
}
