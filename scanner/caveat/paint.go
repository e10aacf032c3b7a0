package caveat

import (
	"bytes"
	"math"
	"strconv"

	"tcode/scanner/pdfobj"
)

// paints are the parts of the graphics state (ISO 32000-2, 8.4) on which programs disagree
// if they do not fit the operators.
type paints struct {
	fill, stroke paint
	font         *codes // nil: none is known
}

// A paint is a colour space with the known facts about the colour in it.
type paint struct {
	most    int  // largest index of a table of colours; 0 for other spaces
	parts   int  // components; of a pattern's own space, 0 for none; below 0: not known
	pattern bool // it is a space of patterns
	light   bool // the colour may be less than black
	over    bool // overprint
}

// unknown is a paint in an unknown space. inherited is the paint at the start of a form,
// set by the contents that draw the form.
var (
	unknown   = paint{parts: -1, light: true}
	inherited = paint{parts: -2, light: true}
)

// draws finds the resources of contents.
type draws interface {
	space(name []byte) paint
	pattern(name []byte) int // its PaintType; 0 for a shading
	font(name []byte) *codes
	overprint(name []byte) (fill, stroke, ok bool)
	group(name []byte) bool // of optional content
}

// maxSaved bounds q without Q. Some programs stop far below it.
const maxSaved = 4096

// paint follows the operators that change colours or fonts, or draw with them. It returns
// false if programs draw different things.
func (g *grammar) paint(op string, kinds []byte) bool {
	now := &g.now
	switch op {
	case "q":
		g.before = append(g.before, *now)
		return len(g.before) <= maxSaved
	case "Q":
		if n := len(g.before); n > 0 {
			*now, g.before = g.before[n-1], g.before[:n-1]
		}
	case "g", "rg", "k":
		now.fill.set(len(kinds), g.light(op))
	case "G", "RG", "K":
		now.stroke.set(len(kinds), g.light(op))
	case "cs":
		now.fill = g.inSpace(now.fill)
	case "CS":
		now.stroke = g.inSpace(now.stroke)
	case "sc", "scn":
		return g.colour(&now.fill, op == "scn", kinds)
	case "SC", "SCN":
		return g.colour(&now.stroke, op == "SCN", kinds)
	case "gs":
		if fill, stroke, ok := g.draws.overprint(g.name1()); ok {
			now.fill.over, now.stroke.over = fill, stroke
		}
	case "Tf":
		now.font = g.draws.font(g.name1())
	case "Tj", "TJ", "'", "\"":
		return !now.fill.mixes() && !now.stroke.mixes() && g.string.plain(now.font)
	case "f", "F", "f*":
		return !now.fill.mixes()
	case "S", "s":
		return !now.stroke.mixes()
	case "B", "B*", "b", "b*":
		return !now.fill.mixes() && !now.stroke.mixes()
	case "BDC":
		if from := g.named[0]; string(kinds) == "//" && from <= len(g.b) && bytes.HasSuffix(bytes.TrimRight(g.b[:from], "\x00\t\n\f\r "), []byte("/OC")) {
			return g.draws.group(g.name1())
		}
	case "sh", "Do":
		return !now.fill.over
	}
	return true
}

// mixes reports whether programs that simulate overprint show the contents below, which
// other programs cover.
func (p paint) mixes() bool { return p.over && p.light }

func (p *paint) set(parts int, light bool) {
	p.parts, p.pattern, p.light, p.most = parts, false, light, 0
}

// name1 is the last name among the operands; empty if it stands elsewhere.
func (g *grammar) name1() []byte {
	if g.named[1] > len(g.b) || g.named[0]+1 > g.named[1] {
		return nil
	}
	return g.b[g.named[0]+1 : g.named[1]]
}

func (g *grammar) inSpace(was paint) paint {
	p := g.draws.space(g.name1())
	p.over = was.over
	return p
}

// light reports whether the colour that op sets may be less than black.
func (g *grammar) light(op string) bool {
	from, to := g.value[0], g.value[1]
	if from > to || to > len(g.b) || op == "rg" || op == "RG" {
		return true
	}
	last, err := strconv.ParseFloat(string(g.b[from:to]), 64)
	if op == "g" || op == "G" {
		last = 1 - last
	}
	return err != nil || last < 0.9
}

// colour checks the operands of a colour in the space of p. named says that op accepts
// patterns.
func (g *grammar) colour(p *paint, named bool, kinds []byte) bool {
	n := len(bytes.TrimSuffix(kinds, []byte("/")))
	isName := n < len(kinds)
	switch p.light = true; {
	case p.parts == inherited.parts:
		return false // it depends on the contents that draw the form
	case p.parts < 0:
		return !isName || named
	case !p.pattern:
		return !isName && n == p.parts && (p.most == 0 || g.index(p.most))
	case !isName || !named:
		return false
	case g.draws.pattern(g.name1()) == 2:
		return n == p.parts && n > 0
	}
	return n == 0
}

// index reports whether the last operand is a whole number up to limit.
func (g *grammar) index(limit int) bool {
	from, to := g.value[0], g.value[1]
	if from > to || to > len(g.b) {
		return true // the previous stream holds the operand
	}
	n, err := strconv.ParseFloat(string(g.b[from:to]), 64)
	return err == nil && n >= 0 && n <= float64(limit) && n == math.Trunc(n)
}

// codes are the character codes that all programs show alike in a font that is not in the
// file.
type codes [256]bool

// stringOf describes the contents of strings.
type stringOf struct {
	any   codes
	some  bool
	cr    bool // a carriage return that is not escaped, which is a line feed for some programs
	skips int  // digits of an escape that are already read
	half  byte
}

func (s *stringOf) add(c byte) { s.any[c], s.some = true, true }

// raw notes a byte of a literal string.
func (s *stringOf) raw(c byte) {
	if s.skips > 0 {
		s.skips--
		return
	}
	s.cr = s.cr || c == '\r'
	s.add(c)
}

// escape notes the byte that a backslash before rest stands for.
func (s *stringOf) escape(rest []byte) {
	s.skips = 0
	if len(rest) == 0 {
		return
	}
	const letters, values = "nrtbf", "\n\r\t\b\f"
	switch i := bytes.IndexByte([]byte(letters), rest[0]); {
	case i >= 0:
		s.add(values[i])
	case octal(rest[0]):
		code := 0
		for n := 0; n < 3 && n < len(rest) && octal(rest[n]); n++ {
			code = code<<3 | int(rest[n]-'0')
			s.skips = n
		}
		s.add(byte(code))
	case rest[0] == '\r' && len(rest) > 1 && rest[1] == '\n':
		s.skips = 1
	case rest[0] != '\n' && rest[0] != '\r':
		s.add(rest[0])
	}
}

// digit notes the nth digit of a hexadecimal string.
func (s *stringOf) digit(c byte, n int) {
	v, _ := strconv.ParseUint(string(c), 16, 8)
	if n%2 == 0 {
		s.half = byte(v)
		return
	}
	s.add(s.half<<4 | byte(v))
}

// plain reports whether all programs show the strings alike in a font.
func (s *stringOf) plain(font *codes) bool {
	if !s.some {
		return true
	}
	if font == nil {
		return false
	}
	for c, used := range s.any {
		if used && !font[c] {
			return false
		}
	}
	return !s.cr
}

// known finds the resources of a page or form.
type known struct {
	resource
	resources pdfobj.Dict
	fonts     map[string]*codes
	spaces    map[string]paint
}

func (k *known) look(kind pdfobj.Name, name []byte) any {
	return k.doc.Dict(k.resources[kind])[pdfobj.Name(name)]
}

func (k *known) space(name []byte) paint {
	if p, ok := k.spaces[string(name)]; ok {
		return p
	}
	p := k.read(name)
	k.spaces[string(name)] = p
	return p
}

func (k *known) read(name []byte) paint {
	var v any = pdfobj.Name(name)
	if !plainSpaces[pdfobj.Name(name)] {
		v = k.look("ColorSpace", name)
	}
	if list := k.doc.Array(v); len(list) == 2 && k.doc.Value(list[0]) == pdfobj.Name("Pattern") {
		n, ok := k.resource.space(list[1], 0)
		if !ok {
			return unknown
		}
		return paint{parts: n, pattern: true, light: true}
	}
	n, ok := k.resource.space(v, 0)
	if !ok {
		return unknown // the resource itself gets the caveat
	}
	most := 0
	if list := k.doc.Array(v); len(list) == 4 && k.doc.Value(list[0]) == pdfobj.Name("Indexed") {
		most, _ = k.doc.Value(list[2]).(int)
	}
	return paint{parts: n, pattern: n == 0, light: true, most: most}
}

func (k *known) pattern(name []byte) int {
	d := k.doc.Dict(k.look("Pattern", name))
	kind, _ := k.doc.Value(d["PaintType"]).(int)
	return kind
}

func (k *known) overprint(name []byte) (fill, stroke, ok bool) {
	d := k.doc.Dict(k.look("ExtGState", name))
	stroke = k.doc.Value(d["OP"]) == true
	if fill = stroke; d.Has("op") {
		fill = k.doc.Value(d["op"]) == true
	}
	return fill, stroke, d.Has("OP") || d.Has("op")
}

func (k *known) group(name []byte) bool { return grouped(k.doc, k.look("Properties", name), 0) }

func (k *known) font(name []byte) *codes {
	c, ok := k.fonts[string(name)]
	if !ok {
		c = k.codes(k.doc.Dict(k.look("Font", name)))
		k.fonts[string(name)] = c
	}
	return c
}

// every is the set of all codes, for a font that all programs show alike.
var every = func() (all codes) {
	for i := range all {
		all[i] = true
	}
	return all
}()

// Codes above those of ASCII that encodings do not have (ISO 32000-2, annex D.2).
const (
	noMacRoman = "\xAD\xB0\xB2\xB3\xB6\xB7\xB8\xB9\xBA\xBD\xC3\xC5\xC6\xD7\xF0"
	noStandard = "\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8A\x8B\x8C\x8D\x8E\x8F\x90\x91\x92\x93\x94\x95\x96\x97\x98" +
		"\x99\x9A\x9B\x9C\x9D\x9E\x9F\xA0\xB0\xB5\xBE\xC0\xC9\xCC\xD1\xD2\xD3\xD4\xD5\xD6\xD7\xD8\xD9\xDA\xDB\xDC\xDD\xDE\xDF" +
		"\xE0\xE2\xE4\xE5\xE6\xE7\xEC\xED\xEE\xEF\xF0\xF2\xF3\xF4\xF6\xF7\xFC\xFD\xFE\xFF"
)

// codes returns the codes that a font has in all programs.
func (r resource) codes(d pdfobj.Dict) *codes {
	switch d.Name("Subtype") {
	case "Type1", "TrueType", "MMType1":
	default:
		return &every
	}
	if r.embedded(d) {
		return &every
	}
	out := every
	for c := range 32 {
		out[c] = false
	}
	out[127] = false
	e := r.doc.Value(d["Encoding"])
	list, _ := e.(pdfobj.Dict)
	base, _ := e.(pdfobj.Name)
	if list != nil {
		base = list.Name("BaseEncoding")
	}
	missing := map[pdfobj.Name]string{"WinAnsiEncoding": "\x81\x8D\x8F\x90\x9D", "MacRomanEncoding": noMacRoman}[base]
	if base == "StandardEncoding" || base == "" && d.Name("Subtype") != "TrueType" && d.Name("BaseFont") != "Symbol" && d.Name("BaseFont") != "ZapfDingbats" {
		missing = noStandard
	}
	for _, c := range []byte(missing) {
		out[c] = false
	}
	code := 0
	for _, v := range r.doc.Array(list["Differences"]) {
		switch v := r.doc.Value(v).(type) {
		case int:
			code = v
		case pdfobj.Name:
			if code >= 0 && code < 256 {
				out[code] = v != ".notdef"
			}
			code++
		}
	}
	return &out
}
