package field

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner"
	"tcode/scanner/caveat"
)

// NoSymbol is the word for a document on which no TCode was found. It is no
// verdict: there was nothing to judge, and nothing is recorded.
const NoSymbol = "no_symbol"

// A Finding is one TCode on one document with its verdict, or the word that
// there is none.
type Finding struct {
	File    string
	Image   bool           // the document is a picture: there are no bytes to bind to
	Page    int            // from 1; 0 with NoSymbol
	ScanID  string         // of the row in the outbox; empty with NoSymbol
	Result  offline.Result // zero with NoSymbol
	Symbol  scanner.Symbol // zero with NoSymbol
	DPI     float64        // resolution the page was read at; 0: unknown (a picture without one)
	Missing scanner.Reason // with NoSymbol: why
	// Caveats say why the file's bytes, although bound, do not settle what it shows.
	Caveats []caveat.Caveat
	// Others are references of stamps whose marks the file holds although their
	// symbols were not seen on its pages: covered, or on a page that is gone. Only
	// where this stamp vouches for the whole file.
	Others []string
}

// Found reports whether there was a TCode.
func (f Finding) Found() bool { return f.ScanID != "" }

// ModuleMM is the side of one module in mm, 0 when the resolution is unknown.
func (f Finding) ModuleMM() float64 {
	if f.DPI <= 0 {
		return 0
	}
	return f.Symbol.ModulePx / f.DPI * 25.4
}

// Settled reports whether the TCode is bound to this very file and, as far as is
// known, that file shows the same to everybody.
func (f Finding) Settled() bool { return f.Result.Binding == binding.Match && len(f.Caveats) == 0 }

// Demands are what an operator asks of a document besides its verdict.
type Demands struct {
	Paper   bool // files stand for paper: nothing to bind to
	Fresh   bool // trust documents no older than fresh
	Settled bool // no caveats: the file shows the same to everybody
}

// Accepted reports whether the document of these findings counts as valid for
// the exit code (DESIGN section 12): every TCode on it does. A stamp that
// another one was put on afterwards counts too where that one vouches for the
// whole file: then nobody unknown added anything.
func Accepted(findings []Finding, want Demands) bool {
	valid := func(f Finding) bool {
		return f.Found() && f.Result.ExitValid(f.Image, want.Paper, want.Fresh) &&
			(!want.Settled || f.Result.Binding != binding.Match || f.Settled())
	}
	whole := slices.ContainsFunc(findings, func(f Finding) bool { return f.Result.Binding == binding.Match && valid(f) })
	for _, f := range findings {
		under := whole && f.Result.Binding == binding.Appended && f.Result.Verdict == offline.Valid && !(want.Fresh && f.Result.Stale)
		if !valid(f) && !under {
			return false
		}
	}
	return len(findings) > 0
}

type symbolJSON struct {
	Modules  [2]int        `json:"modules"` // rows, columns
	ModuleMM float64       `json:"moduleMm,omitzero"`
	Corners  [4][2]float64 `json:"corners"` // px
}

// MarshalJSON writes the members that DESIGN section 12 lists for
// `verify --json`, those of the Result behind file, page, scanId and symbol, and
// before them caveats and otherStamps where there are any.
func (f Finding) MarshalJSON() ([]byte, error) {
	if !f.Found() {
		return json.Marshal(struct {
			File    string `json:"file"`
			Verdict string `json:"verdict"`
			Code    string `json:"code,omitempty"`
			Reason  string `json:"reason"`
			Advice  string `json:"advice,omitempty"`
		}{f.File, NoSymbol, f.Missing.Code, f.Missing.Message, f.Missing.Advice})
	}
	head, err := json.Marshal(struct {
		File    string          `json:"file"`
		Page    int             `json:"page"`
		ScanID  string          `json:"scanId"`
		Symbol  symbolJSON      `json:"symbol"`
		Caveats []caveat.Caveat `json:"caveats,omitempty"`
		Others  []string        `json:"otherStamps,omitempty"`
	}{f.File, f.Page, f.ScanID, symbolJSON{
		Modules:  [2]int{f.Symbol.Rows, f.Symbol.Cols},
		ModuleMM: round(f.ModuleMM(), 1000),
		Corners:  roundCorners(f.Symbol.Corners),
	}, f.Caveats, f.Others})
	if err != nil {
		return nil, err
	}
	result, err := json.Marshal(f.Result)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	// Two objects become one: the result's own members stay byte for byte what
	// every other implementation gives.
	return bytes.Join([][]byte{head[:len(head)-1], result[1:]}, []byte(",")), nil
}

// round cuts v to the grid of 1/n.
func round(v, n float64) float64 { return float64(int64(v*n+0.5)) / n }

// roundCorners cuts corners to a tenth of a pixel: more is noise.
func roundCorners(corners [4][2]float64) [4][2]float64 {
	for i := range corners {
		corners[i] = [2]float64{round(corners[i][0], 10), round(corners[i][1], 10)}
	}
	return corners
}
