package stamp

import (
	"fmt"
	"math"
	"slices"

	"tcode/offline/geometry"
	"tcode/scanner/readback"
)

// A Grade rates how well a scanner can read a stamp, measured on its finished pages:
// the worst page counts. The letters are those of ISO/IEC 15415; each figure has one,
// and the worst is the stamp's.
//
// The store keeps it in its JSON form.
type Grade struct {
	Letter       Letter  `json:"letter"`
	ModuleMM     float64 `json:"moduleMm"`
	QuietModules float64 `json:"quietZoneModules"` // free of ink around the symbol; 4: that or more
	InkPercent   float64 `json:"inkPercent"`       // of the box that was not empty before
	Contrast     float64 `json:"contrastPercent"`  // between dark and light modules
	Spare        float64 `json:"sparePercent"`     // of the error correction that was not needed
	TargetDPI    int     `json:"targetDpi"`        // at which it was read from a clean rendering
	ReadsAtDPI   int     `json:"readsAtDpi"`       // lowest resolution of a poor scan that was read; 0: none
	Proved       []int   `json:"provedPages"`      // that were drawn and read
	Checks       []Check `json:"checks"`
}

// A Letter is a grade, from A down to F: not readable, never delivered.
type Letter string

// The letters.
const (
	LetterA Letter = "A"
	LetterB Letter = "B"
	LetterC Letter = "C"
	LetterD Letter = "D"
	LetterF Letter = "F"
)

// Meaning says a letter in words.
func (l Letter) Meaning() string {
	switch l {
	case LetterA:
		return "reads easily, also from poor scans and photos"
	case LetterB:
		return "reads well"
	case LetterC:
		return "reads from good prints and scans only"
	case LetterD:
		return "reads from the file; a print or scan of it may fail"
	}
	return "cannot be read"
}

// A CheckName is one of the figures that are graded.
type CheckName string

// The checks, in the order in which they come.
const (
	CheckDecode     CheckName = "decode"
	CheckModule     CheckName = "module_size"
	CheckQuiet      CheckName = "quiet_zone"
	CheckContrast   CheckName = "contrast"
	CheckCorrection CheckName = "error_correction"
	CheckPoorScan   CheckName = "poor_scan"
)

// A Check is one figure with its letter.
type Check struct {
	Name   CheckName `json:"name"`
	Letter Letter    `json:"letter"`
	Detail string    `json:"detail"` // in words, with the figure
}

// steps are the least figures for A, B and C; a lower figure is a D.
type steps [3]float64

// The steps of each figure. Contrast and error correction are ISO/IEC 15415's
// (symbol contrast, unused error correction). A quiet zone of 2 modules is drawn
// a little narrower where its edge falls between pixels. Modules: 0.375 mm is
// the guidance, 0.3 and 0.25 mm are 3.5 and 3 dots of a printer at 300 dpi.
var (
	moduleSteps     = steps{0.375, 0.3, 0.25}
	quietSteps      = steps{1.7, 1.3, 0.8}
	contrastSteps   = steps{70, 55, 40}
	correctionSteps = steps{62, 50, 37}
)

func (s steps) letter(v float64) Letter {
	for i, least := range s {
		if v >= least-1e-9 {
			return [...]Letter{LetterA, LetterB, LetterC}[i]
		}
	}
	return LetterD
}

// scanLetter grades the lowest resolution of a poor scan: office scanners send
// 150 dpi by default, and 300 at most.
func scanLetter(dpi int) Letter {
	switch {
	case dpi == 0 || dpi > 300:
		return LetterD
	case dpi > 200:
		return LetterC
	case dpi > 150:
		return LetterB
	}
	return LetterA
}

// gradeOf grades a stamp at places that gave readings, all of them read, when
// asked q; ink is the largest share of a box that was not empty.
func gradeOf(places []geometry.Place, ink float64, q readback.Request, readings []readback.Reading) Grade {
	g := Grade{
		ModuleMM: math.Inf(1), QuietModules: math.Inf(1), Contrast: 100, Spare: 100,
		InkPercent: percent(ink), TargetDPI: int(q.DPI), Proved: make([]int, 0, len(readings)),
	}
	for _, p := range places {
		g.ModuleMM = min(g.ModuleMM, p.ModuleMM)
	}
	never := false
	for i, r := range readings {
		g.Proved = append(g.Proved, r.Page)
		g.QuietModules = min(g.QuietModules, round(r.QuietModules, 10))
		g.Contrast = min(g.Contrast, percent(r.Contrast))
		if r.Correctable > 0 {
			g.Spare = min(g.Spare, percent(1-float64(r.Corrected)/float64(r.Correctable)))
		}
		g.ReadsAtDPI = max(g.ReadsAtDPI, r.ReadsAtDPI)
		never = never || q.Targets[i].Degrade && r.ReadsAtDPI == 0
	}
	if never {
		g.ReadsAtDPI = 0
	}
	g.ModuleMM = round(g.ModuleMM, 10_000)
	g.check()
	return g
}

// check fills in the checks and the letter.
func (g *Grade) check() {
	scan := fmt.Sprintf("a poor scan is read down to %d dpi", g.ReadsAtDPI)
	if g.ReadsAtDPI == 0 {
		scan = "a poor scan is not read, not even at 300 dpi"
	}
	g.Checks = []Check{
		{CheckDecode, LetterA, fmt.Sprintf("read back at %d dpi", g.TargetDPI)},
		{CheckModule, moduleSteps.letter(g.ModuleMM), fmt.Sprintf("modules of %.4g mm", g.ModuleMM)},
		{CheckQuiet, quietSteps.letter(g.QuietModules), fmt.Sprintf("%.2g modules free of ink around the symbol", g.QuietModules)},
		{CheckContrast, contrastSteps.letter(g.Contrast), fmt.Sprintf("%.3g %% contrast", g.Contrast)},
		{CheckCorrection, correctionSteps.letter(g.Spare), fmt.Sprintf("%.3g %% of the error correction is spare", g.Spare)},
		{CheckPoorScan, scanLetter(g.ReadsAtDPI), scan},
	}
	g.Letter = LetterA
	for _, c := range g.Checks {
		g.Letter = max(g.Letter, c.Letter)
	}
}

// unreadable is the grade of a stamp that was not read.
func unreadable(places []geometry.Place, ink float64, targetDPI int, why string) Grade {
	g := Grade{
		Letter: LetterF, InkPercent: percent(ink), TargetDPI: targetDPI, Proved: []int{},
		Checks: []Check{{CheckDecode, LetterF, why}},
	}
	if len(places) > 0 {
		g.ModuleMM = round(slices.MinFunc(places, byModule).ModuleMM, 10_000)
		g.Checks = append(g.Checks, Check{CheckModule, moduleSteps.letter(g.ModuleMM), fmt.Sprintf("modules of %.4g mm", g.ModuleMM)})
	}
	return g
}

// warning returns the reason for a grade below B, or "".
func (g Grade) warning() string {
	if g.Letter < LetterC {
		return ""
	}
	s := fmt.Sprintf("grade %s: the stamp %s", g.Letter, g.Letter.Meaning())
	for _, c := range g.Checks {
		if c.Letter >= LetterC {
			s += "; " + c.Detail
		}
	}
	return s
}

func percent(share float64) float64 { return round(100*share, 100) }

// round rounds v to a whole number of 1/parts.
func round(v, parts float64) float64 { return math.Round(v*parts) / parts }
