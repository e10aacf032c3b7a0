package main

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"tcode/offline/trust"
	"tcode/scanner/answer"
)

// sum prints the last line of a run.
func (w *watch) sum() {
	line := fmt.Sprintf("%d documents: %d valid, ", w.documents(), w.counts[watchValid])
	if n := w.counts[watchCompare]; n > 0 {
		line += fmt.Sprintf("%d to compare, ", n)
	}
	line += fmt.Sprintf("%d not", w.counts[watchNotValid])
	if n := w.counts[watchUnreadable]; n > 0 {
		line += fmt.Sprintf(", %d could not be read", n)
	}
	if n := w.counts[watchSetAside]; n > 0 {
		line += fmt.Sprintf(", %d were set aside", n)
	}
	if n := w.counts[watchInterrupted]; n > 0 {
		line += fmt.Sprintf(", %d were judged before", n)
	}
	fmt.Fprintln(w.app.std.Err, line)
}

// watchView is the answer about one document.
type watchView struct {
	File     string           `json:"file"`
	Outcome  string           `json:"outcome"`
	Reason   string           `json:"reason,omitempty"`
	Findings []answer.Finding `json:"findings,omitempty"`
}

func (v watchView) print(a *app) func(io.Writer) {
	return func(w io.Writer) {
		word, reference, reason := a.paint.in(amber, "? UNREADABLE"), "-", v.Reason
		switch v.Outcome {
		case watchInterrupted:
			word = a.paint.in(amber, "= JUDGED BEFORE")
		case watchSetAside:
			word = a.paint.in(amber, "? SET ASIDE")
		}
		for i, f := range v.Findings {
			text := f.Missing.Message
			if f.Found() {
				text = f.Result.Reason
			}
			if i == 0 || answer.OutcomeOf(v.Findings[i:i+1], answer.Requirements{Paper: true}) != answer.Valid {
				word, reason = a.headline(f), text
			}
			if f.Result.Authentic() {
				reference = f.Result.Reference
			}
		}
		fmt.Fprintf(w, "%s  %s  %s  %s  %s\n", when(time.Now()), word, trust.Escape(filepath.Base(v.File)), trust.Escape(reference), trust.Escape(reason))
	}
}
