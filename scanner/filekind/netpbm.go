package filekind

import (
	"bytes"
	"strconv"
	"strings"
)

// A Netpbm is the header of one image of Netpbm: PBM, PGM, PPM (types 1 to 6) or PAM (type 7).
type Netpbm struct {
	Type          int    // the digit behind P
	Width, Height int    // px
	Most          int    // the value of white, 1 to 65535
	Channels      int    // samples of a pixel: gray or red, green and blue, and perhaps opacity at the end
	Body          []byte // the rest of the file
}

// pnmSide bounds a number in a header: larger ones are no size.
const pnmSide = 1 << 30

// ParseNetpbm reads the header of the image at the start of file. ok is false if there is no complete one.
func ParseNetpbm(file []byte) (p Netpbm, ok bool) {
	if len(file) < 3 || file[0] != 'P' || file[1] < '1' || file[1] > '7' {
		return Netpbm{}, false
	}
	p = Netpbm{Type: int(file[1] - '0'), Most: 1, Channels: 1}
	if p.Type == 7 {
		return p.parsePAM(file)
	}
	rest := file[2:]
	fields := []*int{&p.Width, &p.Height}
	if p.Type != 1 && p.Type != 4 {
		fields = append(fields, &p.Most)
	}
	if p.Type == 3 || p.Type == 6 {
		p.Channels = 3
	}
	for _, to := range fields {
		if len(rest) == 0 || !pnmSpace(rest[0]) && rest[0] != '#' {
			return Netpbm{}, false
		}
		if *to, rest, ok = NetpbmNumber(rest); !ok {
			return Netpbm{}, false
		}
	}
	if len(rest) > 0 && !pnmSpace(rest[0]) {
		return Netpbm{}, false
	}
	p.Body = rest[min(1, len(rest)):]
	return p, p.Most >= 1 && p.Most <= 65535
}

// parsePAM reads the header of a PAM file: lines of a name and a value.
func (p Netpbm) parsePAM(file []byte) (Netpbm, bool) {
	line, rest, ok := bytes.Cut(file, []byte("\n"))
	if !ok || strings.TrimRight(string(line), "\r") != "P7" {
		return Netpbm{}, false
	}
	for range 64 { // lines
		if line, rest, ok = bytes.Cut(rest, []byte("\n")); !ok || len(line) > 256 {
			return Netpbm{}, false
		}
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		to := map[string]*int{"WIDTH": &p.Width, "HEIGHT": &p.Height, "MAXVAL": &p.Most, "DEPTH": &p.Channels}[name]
		switch {
		case name == "ENDHDR":
			p.Body = rest
			return p, p.Channels >= 1 && p.Channels <= 4 && p.Most >= 1 && p.Most <= 65535
		case to != nil:
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 0 || n > pnmSide {
				return Netpbm{}, false
			}
			*to = n
		}
	}
	return Netpbm{}, false
}

// pnmHeader reports whether head begins with a complete header, as opposed to a text that begins with P1.
func pnmHeader(head []byte) bool {
	_, ok := ParseNetpbm(head)
	return ok
}

func pnmSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// NetpbmNumber reads a number behind white space and comments. ok is false if there is none, or if it is above 1<<30.
func NetpbmNumber(b []byte) (n int, rest []byte, ok bool) {
	for len(b) > 0 && (pnmSpace(b[0]) || b[0] == '#') {
		if b[0] == '#' {
			_, b, _ = bytes.Cut(b, []byte("\n"))
			continue
		}
		b = b[1:]
	}
	digits := 0
	for len(b) > 0 && b[0] >= '0' && b[0] <= '9' {
		if n = n*10 + int(b[0]-'0'); n > pnmSide {
			return 0, nil, false
		}
		b = b[1:]
		digits++
	}
	return n, b, digits > 0
}
