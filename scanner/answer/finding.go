package answer

import (
	"bytes"
	"fmt"
	"strings"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/jsontext"
	"tcode/scanner/caveat"
	"tcode/scanner/filekind"
	"tcode/scanner/symbol"
)

// NoSymbol is the word for a document without a TCode. It is not a verdict:
// nothing was judged or recorded.
const NoSymbol = "no_symbol"

// A Finding is one TCode on one document with its verdict, or says that there
// is none.
type Finding struct {
	File    string
	Kind    filekind.Kind  // of the file, by its content
	Image   bool           // the document is a picture, so there is no file to bind to
	Page    int            // from 1; 0 with NoSymbol and Hidden
	Hidden  bool           // no page shows the stamp: it was read from the bytes of the file
	ScanID  string         // of the row in the outbox; empty without a payload, or with NotKept
	NotKept bool           // the device is a copy and records no scan
	Result  offline.Result // zero with NoSymbol
	Symbol  symbol.Symbol  // zero with NoSymbol
	DPI     float64        // resolution the page was read at; 0: unknown (a picture without one)
	Missing symbol.Reason  // with NoSymbol: the reason
	// Restamped: the stamp is valid, and the bytes after its part of the file
	// are proven to be only other valid TCode stamps that cover nothing.
	Restamped bool
	// Caveats say why the file's bytes, although bound, do not settle its display.
	Caveats []caveat.Caveat
}

// Found reports whether there was a TCode.
func (f Finding) Found() bool { return f.Page > 0 || f.Hidden }

// ModuleMM returns the side of one module in mm, 0 if the resolution is unknown.
func (f Finding) ModuleMM() float64 {
	if f.DPI <= 0 {
		return 0
	}
	return f.Symbol.ModulePx / f.DPI * 25.4
}

// Settled reports whether the TCode is bound to this very file and, as far as
// is known, every viewer shows that file alike.
func (f Finding) Settled() bool { return f.Result.Binding == binding.Match && len(f.Caveats) == 0 }

// Requirements are an operator's requirements for a document in addition to its verdict.
type Requirements struct {
	Paper   bool // files stand for paper, so there is nothing to bind to
	Fresh   bool // trust documents no older than fresh
	Proven  bool // with a proven time, not the device's clock
	Settled bool // bound to this very file, without caveats: every viewer shows it alike
}

// An Outcome says how a document counts, such as for an exit code. Its text is also the name of a
// folder for such documents.
type Outcome string

// The outcomes. The judgement of a document that could not be read has none.
const (
	Valid    Outcome = "valid"
	Compare  Outcome = "compare" // a picture with genuine stamps: a person must compare what it shows
	NotValid Outcome = "not-valid"
)

// OutcomeOf returns how the document of these findings counts. It is valid if every TCode in it
// counts, even one that no page shows. A stamp with bytes after its part of the file does not count,
// whatever a later stamp says, because an issuer vouches for its own stamp only. The exception
// are bytes that are proven to be only stamps. A picture is bound to no file, so without Paper it is
// never valid: a forger who copies a genuine symbol onto another picture gets the same findings.
func OutcomeOf(findings []Finding, want Requirements) Outcome {
	if len(findings) == 0 {
		return NotValid
	}
	outcome := Valid
	for _, f := range findings {
		under := f.Restamped && !(want.Fresh && f.Result.Stale) && !(want.Settled && len(f.Caveats) > 0)
		valid := f.Result.ExitValid(want.Paper, want.Fresh) && (!want.Settled || f.Settled())
		switch {
		case !f.Found() || want.Proven && f.Result.Basis != offline.Proven:
			return NotValid
		case under || valid:
		case f.Image && f.Result.ExitValid(true, want.Fresh) && !want.Settled:
			outcome = Compare
		default:
			return NotValid
		}
	}
	return outcome
}

type symbolJSON struct {
	Modules  [2]int        `json:"modules"` // rows, columns
	ModuleMM float64       `json:"moduleMm,omitzero"`
	Corners  [4][2]float64 `json:"corners"` // px
}

// MarshalJSON writes the members of `verify --json`: file, kind, page, hidden
// if true, scanId, notKept if true, symbol, restamped if true, caveats if there
// are any, and then those of the Result.
func (f Finding) MarshalJSON() ([]byte, error) {
	if !f.Found() {
		return jsontext.Marshal(struct {
			File    string        `json:"file"`
			Kind    filekind.Kind `json:"kind,omitempty"`
			Verdict string        `json:"verdict"`
			Code    string        `json:"code,omitempty"`
			Reason  string        `json:"reason"`
			Advice  string        `json:"advice,omitempty"`
			NotKept bool          `json:"notKept,omitempty"`
		}{f.File, f.Kind, NoSymbol, f.Missing.Code, f.Missing.Message, Advice(f.Missing), f.NotKept})
	}
	head, err := jsontext.Marshal(struct {
		File    string          `json:"file"`
		Kind    filekind.Kind   `json:"kind,omitempty"`
		Page    int             `json:"page"`
		Hidden  bool            `json:"hidden,omitempty"`
		ScanID  string          `json:"scanId"`
		NotKept bool            `json:"notKept,omitempty"`
		Symbol  symbolJSON      `json:"symbol"`
		Again   bool            `json:"restamped,omitempty"`
		Caveats []caveat.Caveat `json:"caveats,omitempty"`
	}{f.File, f.Kind, f.Page, f.Hidden, f.ScanID, f.NotKept, symbolJSON{
		Modules:  [2]int{f.Symbol.Rows, f.Symbol.Cols},
		ModuleMM: round(f.ModuleMM(), 1000),
		Corners:  roundCorners(f.Symbol.Corners),
	}, f.Restamped, f.Caveats})
	if err != nil {
		return nil, err
	}
	result, err := jsontext.Marshal(f.Result)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	// Two objects become one: the result's own members stay byte for byte as
	// every other implementation writes them.
	return bytes.Join([][]byte{head[:len(head)-1], result[1:]}, []byte(",")), nil
}

// round rounds v to the grid of 1/n.
func round(v, n float64) float64 { return float64(int64(v*n+0.5)) / n }

// roundCorners rounds corners to a tenth of a pixel: finer digits are noise.
func roundCorners(corners [4][2]float64) [4][2]float64 {
	for i := range corners {
		corners[i] = [2]float64{round(corners[i][0], 10), round(corners[i][1], 10)}
	}
	return corners
}

// Advice returns the advice of a reason, and the options of the command line that may find a symbol.
func Advice(why symbol.Reason) string {
	options := make([]string, len(why.Untried))
	for i, look := range why.Untried {
		options[i] = "--" + look
	}
	switch {
	case len(options) == 0:
		return why.Advice
	case why.Advice == "":
		return "look again with " + strings.Join(options, " or ")
	}
	return why.Advice + "; or look again with " + strings.Join(options, " or ")
}
