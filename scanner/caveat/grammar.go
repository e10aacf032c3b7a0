package caveat

import (
	"bytes"
	"strings"
)

// operands are the operators of contents (ISO 32000-2, annex A) with the kinds of their
// operands: n a number, s a string, / a name, a an array, d a dictionary. Spaces separate
// several forms of one operator; * is any colour.
var operands = map[string]string{
	"w": "n", "J": "n", "j": "n", "M": "n", "d": "an", "ri": "/", "i": "n", "gs": "/", "q": "", "Q": "", "cm": "nnnnnn",
	"m": "nn", "l": "nn", "c": "nnnnnn", "v": "nnnn", "y": "nnnn", "h": "", "re": "nnnn", "S": "", "s": "", "f": "",
	"F": "", "f*": "", "B": "", "B*": "", "b": "", "b*": "", "n": "", "W": "", "W*": "", "BT": "", "ET": "", "Tc": "n",
	"Tw": "n", "Tz": "n", "TL": "n", "Tf": "/n", "Tr": "n", "Ts": "n", "Td": "nn", "TD": "nn", "Tm": "nnnnnn", "T*": "",
	"Tj": "s", "TJ": "a", "'": "s", "\"": "nns", "d0": "nn", "d1": "nnnnnn", "CS": "/", "cs": "/", "SC": "*", "sc": "*",
	"SCN": "*", "scn": "*", "G": "n", "g": "n", "RG": "nnn", "rg": "nnn", "K": "nnnn", "k": "nnnn", "sh": "/", "BI": "",
	"Do": "/", "MP": "/", "DP": "/d //", "BMC": "/", "BDC": "/d //", "EMC": "", "BX": "", "EX": "",
}

// grammar reads contents to find parts that programs interpret differently. It makes no
// values, so that it is fast.
type grammar struct {
	b     []byte
	pos   int
	kinds []byte // of the operands so far
	last  int    // where the last operand begins

	saved   int  // q without Q
	text    bool // between BT and ET
	point   bool // the path has a current point
	lenient bool // between BX and EX unknown operators are skipped
	glyph   bool // the next operator must set the width of a drawn character

	now    paints
	before []paints // saved by q
	string stringOf // contents of the strings among the operands
	draws  draws    // knows resources; nil: none are looked at

	first int       // where the first operand begins
	box   *glyphBox // of a drawn character; nil: of other contents

	named [2]int                            // place of the last name among the operands
	value [2]int                            // and the last operand
	uses  func(op string, name []byte) bool // reports whether resources are sound; nil: none are examined
}

// stream reads one stream of contents. It returns false if programs may
// differ.
func (g *grammar) stream(b []byte) bool {
	g.b, g.pos = b, 0
	for {
		g.space()
		if g.pos >= len(g.b) {
			return true
		}
		kind, ok := g.token()
		if !ok || len(g.kinds) > 64 {
			return false
		}
		if kind != 'o' {
			if len(g.kinds) == 0 {
				g.first = g.last
			}
			g.kinds = append(g.kinds, kind)
			if g.value = [2]int{g.last, g.pos}; kind == '/' {
				g.named = g.value
			}
		} else if ok := g.operator(g.b[g.last:g.pos]); !ok {
			return false
		}
	}
}

// Classes of bytes (ISO 32000-2, 7.2.3).
const (
	isBlank = 1 << iota
	isOrdinary
)

var classes = func() (out [256]byte) {
	for i := range out {
		switch c := byte(i); {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0:
			out[i] = isBlank
		case !strings.ContainsRune("()<>[]{}/%", rune(c)):
			out[i] = isOrdinary
		}
	}
	return out
}()

func blank(c byte) bool { return classes[c] == isBlank }

func (g *grammar) space() {
	for g.pos < len(g.b) {
		switch c := g.b[g.pos]; {
		case blank(c):
			g.pos++
		case c == '%':
			for g.pos < len(g.b) && g.b[g.pos] != '\n' && g.b[g.pos] != '\r' {
				g.pos++
			}
		default:
			return
		}
	}
}

// ordinary reports whether c is neither white space nor a delimiter.
func ordinary(c byte) bool { return classes[c] == isOrdinary }

// token reads one operand or operator, whose kind is o. It returns false for bytes that
// are against the grammar.
func (g *grammar) token() (kind byte, ok bool) {
	g.last = g.pos
	switch c := g.b[g.pos]; {
	case c == '/':
		return '/', g.name()
	case c == '(':
		return 's', g.literal()
	case c == '<' && g.pos+1 < len(g.b) && g.b[g.pos+1] == '<':
		g.pos += 2
		return 'd', g.until('>')
	case c == '<':
		return 's', g.hex()
	case c == '[':
		g.pos++
		return 'a', g.until(']')
	case !ordinary(c):
		return 0, false
	}
	for g.pos < len(g.b) && ordinary(g.b[g.pos]) {
		g.pos++
	}
	word := g.b[g.last:g.pos]
	if c := word[0]; c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.' {
		return 'n', number(word)
	}
	if s := string(word); len(s) >= 4 && (s == "true" || s == "false" || s == "null") {
		return 'b', true
	}
	return 'o', true
}

// number reports whether all programs read w as the same number.
func number(w []byte) bool {
	const most = 11 // digits before the point
	if w[0] == '+' || w[0] == '-' {
		w = w[1:]
	}
	whole, fraction, _ := bytes.Cut(w, []byte("."))
	for _, c := range whole {
		if c < '0' || c > '9' {
			return false
		}
	}
	for _, c := range fraction {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(whole)+len(fraction) > 0 && len(whole) <= most
}

func (g *grammar) name() bool {
	g.pos++
	for g.pos < len(g.b) && ordinary(g.b[g.pos]) {
		if g.b[g.pos] == '#' {
			if g.pos+2 >= len(g.b) || !isHex(g.b[g.pos+1]) || !isHex(g.b[g.pos+2]) || g.b[g.pos+1] == '0' && g.b[g.pos+2] == '0' {
				return false
			}
		}
		g.pos++
	}
	return true
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// literal reads a string in parentheses.
func (g *grammar) literal() bool {
	depth := 0
	for ; g.pos < len(g.b); g.pos++ {
		switch g.b[g.pos] {
		case '\\':
			g.pos++
			g.string.escape(g.b[min(g.pos, len(g.b)):])
			if rest := g.b[min(g.pos, len(g.b)):]; len(rest) > 2 && rest[0] >= '4' && rest[0] <= '7' && octal(rest[1]) && octal(rest[2]) {
				return false // more than a byte
			}
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				g.pos++
				return true
			}
		default:
			g.string.raw(g.b[g.pos])
		}
	}
	return false
}

func octal(c byte) bool { return c >= '0' && c <= '7' }

func (g *grammar) hex() bool {
	digits := 0
	for g.pos++; g.pos < len(g.b); g.pos++ {
		switch c := g.b[g.pos]; {
		case c == '>':
			g.pos++
			if digits%2 == 1 {
				g.string.digit('0', 1)
			}
			return true
		case isHex(c):
			g.string.digit(c, digits)
			digits++
		case !blank(c):
			return false
		}
	}
	return false
}

// until reads an array or a dictionary up to its closing bracket. Names and
// values take turns in a dictionary.
func (g *grammar) until(closing byte) bool {
	for n := 0; ; n++ {
		g.space()
		if g.pos >= len(g.b) || n > 100_000 {
			return false
		}
		if g.b[g.pos] == closing {
			if g.pos++; closing == ']' {
				return true
			}
			g.pos++
			return n%2 == 0 && g.pos <= len(g.b) && g.b[g.pos-1] == '>'
		}
		kind, ok := g.nested()
		if !ok || kind == 'o' || closing == '>' && n%2 == 0 && kind != '/' {
			return false
		}
	}
}

// nested reads a token in a container, which may hold one more container.
func (g *grammar) nested() (byte, bool) {
	const most = 4
	if g.saved += 1 << 20; g.saved>>20 > most {
		return 0, false
	}
	kind, ok := g.token()
	g.saved -= 1 << 20
	return kind, ok
}

// operator follows an operator.
func (g *grammar) operator(word []byte) bool {
	want, known := operands[string(word)]
	kinds := g.kinds
	if g.box != nil && len(kinds) == 0 {
		g.box.operator(string(word), nil)
	} else if g.box != nil {
		g.box.operator(string(word), g.b[g.first:g.last])
	}
	g.kinds = g.kinds[:0]
	if width := string(word) == "d0" || string(word) == "d1"; width != g.glyph && g.draws != nil {
		return false
	}
	g.glyph = false
	if !known {
		return g.lenient
	}
	if !fits(kinds, want) || !g.sound(word, kinds) || g.draws != nil && !g.paint(string(word), kinds) {
		return false
	}
	g.string = stringOf{}
	switch string(word) {
	case "q":
		g.saved++
	case "Q":
		g.saved--
	case "BT", "ET":
		was := g.text
		g.text = string(word) == "BT"
		return g.text != was
	case "BX", "EX":
		g.lenient = string(word) == "BX"
	case "m", "re":
		g.point = true
	case "l", "c", "v", "y", "h":
		return g.point
	case "S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n":
		g.point = false
	case "BI":
		return g.image()
	}
	return g.saved >= 0
}

// sound reports whether the operands of op are in range and its resource is
// sound.
func (g *grammar) sound(word, kinds []byte) bool {
	from, to := g.value[0], min(g.value[1], len(g.b))
	if from > to {
		return true // the previous stream holds the operand
	}
	value := g.b[from:to]
	switch string(word) {
	case "w":
		return value[0] != '-'
	case "J", "j":
		return len(value) == 1 && value[0] >= '0' && value[0] <= '2'
	case "Tr":
		return len(value) == 1 && value[0] >= '0' && value[0] <= '7'
	case "cs", "CS", "gs", "Do", "sh", "Tf", "scn", "SCN":
		if g.uses == nil || bytes.IndexByte(kinds, '/') < 0 || g.named[1] > len(g.b) {
			return true
		}
		return g.uses(string(word), g.b[g.named[0]+1:g.named[1]])
	}
	return true
}

// fits reports whether kinds are the wanted kinds of operands.
func fits(kinds []byte, want string) bool {
	if want == "*" {
		return len(kinds) > 0 && len(bytes.Trim(bytes.TrimSuffix(kinds, []byte("/")), "n")) == 0
	}
	if one, other, several := strings.Cut(want, " "); several {
		return string(kinds) == one || string(kinds) == other
	}
	return string(kinds) == want
}
