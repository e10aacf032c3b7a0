package device

import (
	"bytes"
	"encoding/json"
	"fmt"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner"
	"tcode/scanner/caveat"
	"tcode/scanner/raster"
)

// NoSymbol is the word for a document on which no TCode was found. It is no
// verdict: there was nothing to judge, and nothing is recorded.
const NoSymbol = "no_symbol"

// A Finding is one TCode on one document with its verdict, or the word that
// there is none.
type Finding struct {
	File    string
	Kind    raster.Kind    // of the file, by its content
	Image   bool           // the document is a picture: there are no bytes to bind to
	Page    int            // from 1; 0 with NoSymbol and Hidden
	Hidden  bool           // no page showed the stamp: it was read from the bytes of the file
	ScanID  string         // of the row in the outbox; empty where there is no payload, or with NotKept
	NotKept bool           // the device is a copy: no scan is on record
	Result  offline.Result // zero with NoSymbol
	Symbol  scanner.Symbol // zero with NoSymbol
	DPI     float64        // resolution the page was read at; 0: unknown (a picture without one)
	Missing scanner.Reason // with NoSymbol: why
	// Restamped: the stamp is valid, what follows its part of the file is proven to be
	// nothing but other valid TCode stamps, and they cover nothing.
	Restamped bool
	// Caveats say why the file's bytes, although bound, do not settle what it shows.
	Caveats []caveat.Caveat
}

// Found reports whether there was a TCode.
func (f Finding) Found() bool { return f.Page > 0 || f.Hidden }

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

// Requirements are what an operator asks of a document besides its verdict.
type Requirements struct {
	Paper   bool // files stand for paper: nothing to bind to
	Fresh   bool // trust documents no older than fresh
	Proven  bool // by a proven time, not by the device's clock
	Settled bool // bound to this very file, without caveats: it shows the same to everybody
}

// Accepted reports whether the document of these findings counts as valid for
// the exit code: every TCode in it does, whether or not a page shows it. A
// stamp with anything behind it does not count, whatever a later stamp says: an
// issuer is believed about its own stamp only. The exception is what is proven to
// be nothing but stamps.
func Accepted(findings []Finding, want Requirements) bool {
	for _, f := range findings {
		under := f.Restamped && !(want.Fresh && f.Result.Stale) && !(want.Settled && len(f.Caveats) > 0)
		valid := f.Result.ExitValid(f.Image, want.Paper, want.Fresh) && (!want.Settled || f.Settled())
		if want.Proven && f.Result.Basis != offline.Proven {
			return false
		}
		if !f.Found() || !under && !valid {
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

// MarshalJSON writes the members of `verify --json`: file, kind, page, hidden
// where it is true, scanId, notKept where it is true, symbol, restamped where it is true, caveats where
// there are any, and then those of the Result.
func (f Finding) MarshalJSON() ([]byte, error) {
	if !f.Found() {
		return json.Marshal(struct {
			File    string      `json:"file"`
			Kind    raster.Kind `json:"kind,omitempty"`
			Verdict string      `json:"verdict"`
			Code    string      `json:"code,omitempty"`
			Reason  string      `json:"reason"`
			Advice  string      `json:"advice,omitempty"`
			NotKept bool        `json:"notKept,omitempty"`
		}{f.File, f.Kind, NoSymbol, f.Missing.Code, f.Missing.Message, f.Missing.Advice, f.NotKept})
	}
	head, err := json.Marshal(struct {
		File    string          `json:"file"`
		Kind    raster.Kind     `json:"kind,omitempty"`
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
