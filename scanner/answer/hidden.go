package answer

import (
	"fmt"
	"slices"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/scanner/caveat"
	"tcode/scanner/symbol"
)

// maxHidden is the largest number of stamps of one file that are judged
// although no page shows them. Each may cost a hash of the file.
const maxHidden = 16

// unseenMarks returns the marks of the file whose symbols no page showed, one for
// each symbol or, without a symbol, for each reference. The whole text of a symbol
// identifies a stamp, because another issuer's may have the same reference.
func (r *Reading) unseenMarks() (hidden []drawn, more bool) {
	if r.Image() {
		return nil, false
	}
	marks := r.marks()
	for _, m := range marks {
		d := drawn{mark: m}
		d.symbol, d.ok = symbol.Drawn(r.data, m)
		seen := func(f Finding) bool { return d.ok && f.Symbol.Text == d.symbol.Text }
		same := func(h drawn) bool {
			return h.ok == d.ok && h.symbol.Text == d.symbol.Text && (d.ok || h.mark.Reference == m.Reference)
		}
		if slices.ContainsFunc(r.findings, seen) || slices.ContainsFunc(hidden, same) {
			continue
		}
		if len(hidden) == maxHidden {
			return hidden, true
		}
		hidden = append(hidden, d)
	}
	return hidden, len(marks) == binding.MaxMarks
}

// A drawn is a mark with the symbol that its hole holds, if it holds one.
type drawn struct {
	mark   binding.Mark
	symbol symbol.Symbol
	ok     bool
}

// judgeHidden judges the stamps that no page showed: covered ones, and those on
// removed pages. They are in the file, so their verdicts count.
func (r *Reading) judgeHidden() error {
	hidden, more := r.unseenMarks()
	if len(hidden) == 0 && !more {
		return nil
	}
	judge, err := r.judge()
	if err != nil {
		return err
	}
	for _, d := range hidden {
		f := Finding{File: r.name, Kind: r.binder.Kind(), Hidden: true, Symbol: d.symbol}
		if d.ok {
			f.Result, f.Caveats = r.judged(judge, d.symbol)
		}
		if !d.ok || foreign(f.Result) {
			f.Symbol = symbol.Symbol{}
			why := "the file holds a part of another stamped document, or a forgery"
			if r.changed() != "" {
				why = r.changed() + ", so that its stamp cannot be read; " + adviceChanged
			}
			f.Result = unproven(fmt.Sprintf("A mark in the file names the stamp %s and proves nothing: %s.", d.mark.Reference, why))
			f.Result.Reference = d.mark.Reference.String()
		}
		r.findings = append(r.findings, f)
	}
	if more {
		r.findings = append(r.findings, Finding{
			File: r.name, Kind: r.binder.Kind(), Hidden: true,
			Result: unproven(fmt.Sprintf("The file holds more than %d stamps that its pages do not show; the others were not judged.", maxHidden)),
		})
	}
	return nil
}

// unproven returns the result for a mark without a payload.
func unproven(reason string) offline.Result {
	return offline.Result{Verdict: offline.NotFound, Assurance: offline.AssuranceNone, Binding: binding.Mismatch, Checks: []offline.Check{}, Reason: reason}
}

// recorded reports whether there is a payload to record.
func (f Finding) recorded() bool { return f.Found() && f.Symbol.Text != "" }

// weigh gives each stamp that vouches for the whole file a caveat for each
// other stamp in it that does not count. An issuer vouches for its own stamp
// only, so one stamp cannot hide the verdict of another.
func (r *Reading) weigh() {
	for i := range r.findings {
		f := &r.findings[i]
		if f.Result.Binding != binding.Match {
			continue
		}
		told := map[string]bool{}
		for _, other := range r.findings {
			text := other.against()
			if text == "" || other.recorded() && other.Symbol.Text == f.Symbol.Text || told[text] || len(told) == maxTold {
				continue
			}
			told[text] = true
			f.Caveats = append(f.Caveats, caveat.Caveat{Code: caveat.Stamps, Text: text})
		}
	}
}

// maxTold is the largest number of other stamps that one stamp's caveats name.
const maxTold = 4

// against returns an objection to the file of the stamp f, as a clause whose
// subject is the file; empty: none.
func (f Finding) against() string {
	words := map[offline.Verdict]string{
		offline.Revoked: "was revoked", offline.Expired: "has expired", offline.Suspended: "is suspended",
		offline.Unverified: "could not be verified", offline.NotFound: "is not genuine",
	}
	which := "the stamp " + f.Result.Reference
	if f.Result.Reference == "" {
		which = "another stamp"
	}
	switch r := f.Result; {
	case r.Verdict == offline.Revoked && r.Replaced:
		return "it carries " + which + ", which was replaced"
	case words[r.Verdict] != "":
		return "it carries " + which + ", which " + words[r.Verdict]
	case r.Verdict == offline.Valid && r.Binding == binding.Appended && !f.Restamped:
		return "it was added to after " + which + " was put on it"
	}
	return ""
}

// marks returns the marks of the file. It searches the file once.
func (r *Reading) marks() []binding.Mark {
	if r.found == nil && !r.Image() {
		r.found = append([]binding.Mark{}, binding.Marks(r.data)...)
	}
	return r.found
}

// payloadOf returns the payload in a symbol's text, or nil.
func payloadOf(text string) []byte {
	raw, err := payload.DecodeText(text)
	if err != nil {
		return nil
	}
	return raw
}
