package pages

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tcode/offline/payload"
	"tcode/scanner/ecc200"
	"tcode/scanner/simulate"
)

// The programs that make symbols.
const (
	MakerOwn  = "own"
	MakerZint = "zint"
	MakerDmtx = "dmtxwrite"
)

// Tools are the programs that [Maker] runs; both are Debian packages (zint and
// dmtx-utils).
var Tools = []string{"zint", "dmtxwrite"}

// ErrMaker means that a program drew no symbol of the requested size.
var ErrMaker = errors.New("symbol was not drawn")

// made is a symbol with its maker and its text as bytes.
type made struct {
	maker string
	text  []byte
	sym   simulate.Symbol
}

// makeSymbol returns one of our stamps, or a symbol of another maker with random bytes or
// text, with 24 to 64 modules a side.
func makeSymbol(ctx context.Context, r *rand.Rand, own bool) (made, error) {
	if own {
		return stamp(r)
	}
	side := []int{24, 26, 32, 36, 40, 44, 48, 52, 64}[r.IntN(9)]
	size, _ := ecc200.SizeOf(side, side)
	text := make([]byte, 1+int((0.5+0.45*r.Float64())*float64(size.Data-4)))
	binary := r.IntN(3) > 0
	for i := range text {
		text[i] = byte(r.Uint32())
		if !binary {
			text[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz :/.-"[r.IntN(67)]
		}
	}
	maker, draw := MakerZint, zint
	if r.IntN(3) == 0 {
		maker, draw = MakerDmtx, dmtxwrite
	}
	dir, err := os.MkdirTemp("", "tcode-bench-symbol-")
	if err != nil {
		return made{}, fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears its temporary folder too
	if err := os.WriteFile(filepath.Join(dir, "in"), text, 0o600); err != nil {
		return made{}, fmt.Errorf("write input: %w", err)
	}
	sym, err := draw(ctx, dir, side, binary)
	if err != nil {
		return made{}, fmt.Errorf("%s, %d bytes in %d modules: %w", maker, len(text), side, err)
	}
	return made{maker, text, sym}, nil
}

// stamp returns a signed payload, drawn as the gateway draws it.
func stamp(r *rand.Rand) (made, error) {
	random := func(b []byte) {
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	}
	p := payload.Payload{
		Issuer: "ACME01", KeySeq: 1, DocumentType: "DIP", IssuedAt: time.Unix(1773480413+int64(r.IntN(1e7)), 0).UTC(),
		Status: payload.StatusIndex(r.Uint32()),
	}
	random(p.Reference[:])
	random(p.Fingerprint[:])
	if r.IntN(2) == 0 {
		p.Fields = []payload.Field{{Key: "grade", Value: strconv.Itoa(r.IntN(100))}, {Key: "holder", Value: strings.Repeat("Ann Ax ", 1+r.IntN(6))}}
	}
	seed := make([]byte, ed25519.SeedSize)
	random(seed)
	if err := p.Seal(ed25519.NewKeyFromSeed(seed)); err != nil {
		return made{}, fmt.Errorf("sign payload: %w", err)
	}
	raw, err := p.Append(nil)
	if err != nil {
		return made{}, fmt.Errorf("encode payload: %w", err)
	}
	text := payload.EncodeText(raw)
	data, side, err := payload.Codewords(text)
	if err != nil {
		return made{}, fmt.Errorf("encode text: %w", err)
	}
	size, ok := ecc200.SizeOf(side, side)
	if !ok {
		return made{}, fmt.Errorf("%d modules: %w", side, ErrMaker)
	}
	dark, err := ecc200.Encode(data, size)
	if err != nil {
		return made{}, fmt.Errorf("draw symbol: %w", err)
	}
	return made{MakerOwn, []byte(text), simulate.Symbol{Rows: side, Cols: side, Dark: dark}}, nil
}

// zintVersion numbers zint's square sizes.
var zintVersion = map[int]int{24: 8, 26: 9, 32: 10, 36: 11, 40: 12, 44: 13, 48: 14, 52: 15, 64: 16}

// zint draws dir/in with zint. Its text format has one hex digit for four modules, row by
// row.
func zint(ctx context.Context, dir string, side int, binary bool) (simulate.Symbol, error) {
	out := filepath.Join(dir, "out.txt")
	args := []string{"-b", "71", "--square", "--vers=" + strconv.Itoa(zintVersion[side]), "-i", filepath.Join(dir, "in"), "-o", out, "--filetype=txt"}
	if binary {
		args = append(args, "--binary")
	}
	if err := run(ctx, "zint", args...); err != nil {
		return simulate.Symbol{}, err
	}
	raw, err := os.ReadFile(out)
	if err != nil {
		return simulate.Symbol{}, fmt.Errorf("read zint's output: %w", err)
	}
	sym := simulate.Symbol{Cols: side}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		var row []bool
		for _, c := range strings.ReplaceAll(lines.Text(), " ", "") {
			v, err := strconv.ParseUint(string(c), 16, 4)
			if err != nil {
				return simulate.Symbol{}, fmt.Errorf("zint's output: %w", err)
			}
			row = append(row, v&8 != 0, v&4 != 0, v&2 != 0, v&1 != 0)
		}
		if len(row) >= side {
			sym.Dark, sym.Rows = append(sym.Dark, row[:side]...), sym.Rows+1
		}
	}
	return checked(sym, side)
}

// dmtxwrite draws dir/in with libdmtx, two px a module, two px of margin.
func dmtxwrite(ctx context.Context, dir string, side int, binary bool) (simulate.Symbol, error) {
	out, scheme := filepath.Join(dir, "out.png"), "-ea"
	if binary {
		scheme = "-e8"
	}
	if err := run(ctx, "dmtxwrite", scheme, "-d2", "-m2", fmt.Sprintf("-s%dx%d", side, side), "-o", out, filepath.Join(dir, "in")); err != nil {
		return simulate.Symbol{}, err
	}
	f, err := os.Open(out)
	if err != nil {
		return simulate.Symbol{}, fmt.Errorf("read dmtxwrite's output: %w", err)
	}
	defer func() { _ = f.Close() }() // read only
	img, err := png.Decode(f)
	if err != nil {
		return simulate.Symbol{}, fmt.Errorf("dmtxwrite's output: %w", err)
	}
	m := simulate.FromImage(img)
	sym := simulate.Symbol{Rows: (m.Height - 4) / 2, Cols: (m.Width - 4) / 2}
	for y := range sym.Rows {
		for x := range sym.Cols {
			sym.Dark = append(sym.Dark, m.At(2+2*x, 2+2*y) < 128)
		}
	}
	return checked(sym, side)
}

// checked refuses a drawing that is no symbol of the requested size.
func checked(s simulate.Symbol, side int) (simulate.Symbol, error) {
	size, ok := ecc200.SizeOf(s.Rows, s.Cols)
	if !ok || s.Rows != side || s.Cols != side || size.FinderAgreement(s.Dark) < 1 {
		return s, fmt.Errorf("got %dx%d: %w", s.Rows, s.Cols, ErrMaker)
	}
	return s, nil
}

// run runs a program that draws a symbol.
func run(ctx context.Context, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	return nil
}
