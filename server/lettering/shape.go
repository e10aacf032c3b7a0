package lettering

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/harfbuzz"
	"github.com/go-text/typesetting/language"
)

// Measures of the font, in em, the height of the font.
const (
	Ascent  = 1901 / unitsPerEm
	Descent = 483 / unitsPerEm // below the baseline
	Leading = Ascent + Descent // from line to line

	unitsPerEm = 2048.0
)

// Box holds every glyph of the font: left, bottom, right, top in em.
var Box = [4]float64{-2090 / unitsPerEm, -948 / unitsPerEm, 3673 / unitsPerEm, 2524 / unitsPerEm}

// A Line is text in the order of its display, from left to right. Lengths are in em.
type Line struct {
	Text   string // in reading order
	Glyphs []Glyph
	Width  float64
	// Marked says that glyphs stand over others, in text that runs to the right. Readers of a
	// document then see two words.
	Marked bool
}

// A Glyph is one shape of a line.
type Glyph struct {
	X, Y float64 // of its origin, from the left end of the baseline, y up
	id   uint16  // in the whole font
	text string  // text of the glyph; "" if another glyph has it
}

// A MissingError names a character that the font cannot show.
type MissingError struct {
	Rune rune
}

func (e *MissingError) Error() string {
	if e.Rune < ' ' || e.Rune == 0x7F || e.Rune == utf8.RuneError {
		return fmt.Sprintf("the character U+%04X cannot be shown", e.Rune)
	}
	return fmt.Sprintf("the font has no character %q (U+%04X)", string(e.Rune), e.Rune)
}

// A shaper holds the parsed font. Faces have caches, so it is used by one goroutine at a time.
type shaper struct {
	mu   sync.Mutex
	font *harfbuzz.Font
}

var theShaper = sync.OnceValue(func() *shaper {
	face, err := font.ParseTTF(bytes.NewReader(dejavusans.TTF))
	if err != nil {
		panic(fmt.Sprintf("parse the built-in font: %v", err)) // the same bytes each time: tests would see it
	}
	return &shaper{font: harfbuzz.NewFont(face)}
})

// Shape sets text on one line. The error is a [*MissingError].
func Shape(text string) (Line, error) {
	runes := []rune(text)
	for _, r := range runes {
		if r < ' ' || r >= 0x7F && r < 0xA0 || r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
			return Line{}, &MissingError{r}
		}
	}
	s := theShaper()
	s.mu.Lock()
	defer s.mu.Unlock()
	line := Line{Text: text}
	pen := 0
	leftward := false
	for _, run := range visual(runes) {
		var err error
		if pen, err = s.run(&line, pen, runes, run); err != nil {
			return Line{}, err
		}
		leftward = leftward || !run.rightward
	}
	line.Marked = line.Marked && !leftward
	line.Width = float64(pen) / unitsPerEm
	return line, nil
}

// A run is text of one script and direction.
type run struct {
	start, end int
	rightward  bool // left to right
	script     language.Script
}

// visual splits text into runs and returns them in their order on the line (Unicode
// Standard Annex 9, rule L2).
func visual(text []rune) []run {
	var p bidi.Paragraph
	levels := p.Segment(text, bidi.Neutral) // the first strong character decides
	var runs []run
	var level []bidi.Level
	for i := range levels.NumRuns() {
		l := levels.Run(i)
		for _, r := range scripts(text, l.Start, l.End) {
			r.rightward = l.Level%2 == 0
			runs, level = append(runs, r), append(level, l.Level)
		}
	}
	var highest bidi.Level
	for _, l := range level {
		highest = max(highest, l)
	}
	for l := highest; l > 0; l-- {
		for i := 0; i < len(runs); i++ {
			j := i
			for j < len(runs) && level[j] >= l {
				j++
			}
			slices.Reverse(runs[i:j])
			slices.Reverse(level[i:j])
			i = j
		}
	}
	return runs
}

// scripts splits text[start:end] where its script changes. Marks, digits and punctuation
// belong to the script before them.
func scripts(text []rune, start, end int) []run {
	var out []run
	for i := start; i < end; i++ {
		s := language.LookupScript(text[i])
		weak := s == language.Common || s == language.Inherited || s == language.Unknown
		last := len(out) - 1
		switch {
		case last < 0:
			out = append(out, run{start: i, end: i + 1, script: s})
		case weak || s == out[last].script:
			out[last].end = i + 1
		case out[last].script == language.Common || out[last].script == language.Inherited || out[last].script == language.Unknown:
			out[last].end, out[last].script = i+1, s
		default:
			out = append(out, run{start: i, end: i + 1, script: s})
		}
	}
	return out
}

// run shapes one run and appends its glyphs to line. Lengths are in font
// units.
func (s *shaper) run(line *Line, pen int, text []rune, r run) (int, error) {
	buf := harfbuzz.NewBuffer()
	buf.ClusterLevel = harfbuzz.MonotoneCharacters
	buf.Flags = harfbuzz.RemoveDefaultIgnorables | harfbuzz.DoNotinsertDottedCircle
	buf.Props = harfbuzz.SegmentProperties{Script: r.script, Direction: harfbuzz.RightToLeft, Language: "en"}
	if r.rightward {
		buf.Props.Direction = harfbuzz.LeftToRight
	}
	buf.AddRunes(text, r.start, r.end-r.start)
	buf.Shape(s.font, nil)
	ends := clusterEnds(buf.Info, r.end)
	for i, g := range buf.Info {
		if g.Glyph == 0 {
			return 0, &MissingError{s.missing(text[g.Cluster:r.end])}
		}
		at := buf.Pos[i]
		line.Glyphs = append(line.Glyphs, Glyph{
			X: float64(pen+int(at.XOffset)) / unitsPerEm, Y: float64(at.YOffset) / unitsPerEm,
			id: uint16(g.Glyph), text: string(text[g.Cluster:ends[i]]),
		})
		pen += int(at.XAdvance)
		line.Marked = line.Marked || at.XOffset != 0 || at.YOffset != 0
	}
	return pen, nil
}

// missing returns the first character of text that the font lacks. A cluster may begin before
// it, with a mark without ink or with the letter that a missing mark belongs to.
func (s *shaper) missing(text []rune) rune {
	for _, r := range text {
		if _, ok := s.font.Face().NominalGlyph(r); !ok && !harfbuzz.IsDefaultIgnorable(r) {
			return r
		}
	}
	return text[0]
}

// clusterEnds returns for each glyph the end of its characters: all of its cluster for the
// first glyph of it, none for the others.
func clusterEnds(glyphs []harfbuzz.GlyphInfo, end int) []int {
	starts := []int{end}
	for _, g := range glyphs {
		starts = append(starts, g.Cluster)
	}
	slices.Sort(starts)
	ends := make([]int, len(glyphs))
	seen := map[int]bool{}
	for i, g := range glyphs {
		if seen[g.Cluster] {
			ends[i] = g.Cluster
			continue
		}
		seen[g.Cluster] = true
		at, _ := slices.BinarySearch(starts, g.Cluster+1)
		ends[i] = starts[at]
	}
	return ends
}

// Advance returns the width of g alone, in em.
func Advance(g Glyph) float64 { return float64(source().advance(g.id)) / unitsPerEm }
