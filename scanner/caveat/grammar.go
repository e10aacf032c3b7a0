package caveat

import (
	"bytes"
	"strings"
)

// operands are the operators of contents (ISO 32000-2, annex A) with the kinds of
// their operands: n a number, s a string, / a name, a an array, d a dictionary.
// Those with several forms have them apart by spaces; * is any colour.
var operands = map[string]string{
	"w": "n", "J": "n", "j": "n", "M": "n", "d": "an", "ri": "/", "i": "n", "gs": "/", "q": "", "Q": "", "cm": "nnnnnn",
	"m": "nn", "l": "nn", "c": "nnnnnn", "v": "nnnn", "y": "nnnn", "h": "", "re": "nnnn", "S": "", "s": "", "f": "",
	"F": "", "f*": "", "B": "", "B*": "", "b": "", "b*": "", "n": "", "W": "", "W*": "", "BT": "", "ET": "", "Tc": "n",
	"Tw": "n", "Tz": "n", "TL": "n", "Tf": "/n", "Tr": "n", "Ts": "n", "Td": "nn", "TD": "nn", "Tm": "nnnnnn", "T*": "",
	"Tj": "s", "TJ": "a", "'": "s", "\"": "nns", "d0": "nn", "d1": "nnnnnn", "CS": "/", "cs": "/", "SC": "*", "sc": "*",
	"SCN": "*", "scn": "*", "G": "n", "g": "n", "RG": "nnn", "rg": "nnn", "K": "nnnn", "k": "nnnn", "sh": "/", "BI": "",
	"Do": "/", "MP": "/", "DP": "/d //", "BMC": "/", "BDC": "/d //", "EMC": "", "BX": "", "EX": "",
}

// grammar reads contents to find what programs take for different things. It
// makes no values, so that it is fast.
type grammar struct {
	b     []byte
	pos   int
	kinds []byte // of the operands so far
	last  int    // where the last operand begins

	saved   int  // q without Q
	text    bool // between BT and ET
	point   bool // the path has a current point
	lenient bool // between BX and EX unknown operators are skipped
}

// stream reads one stream of contents. It returns false where programs may
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
			g.kinds = append(g.kinds, kind)
		} else if !g.operator(string(g.b[g.last:g.pos])) {
			return false
		}
	}
}

func blank(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

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
func ordinary(c byte) bool {
	return !blank(c) && !strings.ContainsRune("()<>[]{}/%", rune(c))
}

// token reads one operand or operator, whose kind is o. It returns false for what
// is against the grammar.
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
	switch string(word) {
	case "true", "false", "null":
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
	digits := 0
	for _, part := range [][]byte{whole, fraction} {
		for _, c := range part {
			if c < '0' || c > '9' {
				return false
			}
			digits++
		}
	}
	return digits > 0 && len(whole) <= most
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
		}
	}
	return false
}

func octal(c byte) bool { return c >= '0' && c <= '7' }

func (g *grammar) hex() bool {
	for g.pos++; g.pos < len(g.b); g.pos++ {
		switch c := g.b[g.pos]; {
		case c == '>':
			g.pos++
			return true
		case !isHex(c) && !blank(c):
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

// nested is a token in a container, which may hold one more.
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
func (g *grammar) operator(op string) bool {
	want, known := operands[op]
	kinds := string(g.kinds)
	g.kinds = g.kinds[:0]
	if !known {
		return g.lenient
	}
	if !g.fits(kinds, want) {
		return false
	}
	switch op {
	case "q":
		g.saved++
	case "Q":
		g.saved--
	case "BT", "ET":
		was := g.text
		g.text = op == "BT"
		return g.text != was
	case "BX", "EX":
		g.lenient = op == "BX"
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

func (g *grammar) fits(kinds, want string) bool {
	if want == "*" {
		return strings.Trim(strings.TrimSuffix(kinds, "/"), "n") == "" && kinds != ""
	}
	for _, form := range strings.Split(want, " ") {
		if kinds == form {
			return true
		}
	}
	return false
}
