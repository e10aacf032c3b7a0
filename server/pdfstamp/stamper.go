package pdfstamp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"tcode/offline/binding"
	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/offline/payload"
	"tcode/server/fault"
)

// Limits on the PDF to stamp.
const (
	MaxBytes = 25 << 20 // of the file
	MaxPages = 500
)

// A Stamper appends stamps to PDFs. It is safe for concurrent use.
type Stamper struct {
	pool *sandbox.Pool
}

// New returns a Stamper that parses in the children of pool, which must have
// been made for [Role].
func New(pool *sandbox.Pool) *Stamper { return &Stamper{pool: pool} }

// An Addition holds the bytes that a stamp adds to a file, and data on them.
type Addition struct {
	Revision []byte // follows the bytes that were given
	Mark     binding.Mark
	Places   []geometry.Place // its place on each stamped page, ascending; at least one
	Modules  int              // side of the symbol
	Signed   bool             // the file carried signatures; they stay intact
	Filled   []int            // pages with contents before the stamp, ascending; none is known of an encrypted file
	Warnings []string
}

// Page returns the first stamped page, from 1.
func (a Addition) Page() int { return a.Places[0].Page }

// Pages returns all stamped pages, ascending.
func (a Addition) Pages() []int {
	out := make([]int, len(a.Places))
	for i, p := range a.Places {
		out[i] = p.Page
	}
	return out
}

// A Seal signs a payload over fingerprint and returns its text form, whose
// symbol must have the side that the stamp was laid out for.
type Seal func(fingerprint [16]byte) (text string, err error)

// Append makes the revision that adds a stamp with a symbol of side modules to
// pdf. It lays it out in a child process, takes the fingerprint of all but the
// hole, calls seal once and draws the symbol of the returned text into the hole.
// The file is not held by this process: pdf is read once, in pieces, and must
// not change meanwhile. If it reads from an [os.File] that was opened for reading
// only, the child reads that file (see [sandbox.Conn.SendFrom]).
//
// Errors of the file or placement are faults: INVALID_PDF (Invalid),
// PDF_NOT_STAMPABLE (Rejected), PAYLOAD_TOO_LARGE (TooLarge). An error of seal
// comes back as it is. All others are ours, and Internal by [fault.As].
func (s *Stamper) Append(ctx context.Context, pdf *io.SectionReader, pl Placement, ref payload.Reference, side int, seal Seal) (Addition, error) {
	p, err := s.plan(ctx, pdf, request{Placement: pl, Reference: ref, Side: side})
	if err != nil {
		return Addition{}, err
	}
	mark, err := p.mark(pdf.Size(), ref, side)
	if err != nil {
		return Addition{}, err
	}
	fingerprint, err := fingerprintOf(pdf, p.Revision, mark)
	if err != nil {
		return Addition{}, fmt.Errorf("take the fingerprint: %w", err)
	}
	text, err := seal(fingerprint)
	if err != nil {
		return Addition{}, err
	}
	modules, err := Symbol(text)
	if err != nil {
		return Addition{}, fmt.Errorf("draw the symbol: %w", err)
	}
	if modules.Side != side {
		return Addition{}, fmt.Errorf("the sealed text takes %d modules, the stamp was laid out for %d", modules.Side, side)
	}
	here := mark // as the revision counts
	here.Start -= pdf.Size()
	copy(p.Revision[here.Start:here.Start+here.Length], binding.Hole(p.Revision, here, modules))
	return Addition{Revision: p.Revision, Mark: mark, Places: p.Places, Modules: side, Signed: p.Signed, Filled: p.Filled, Warnings: p.Warnings}, nil
}

// A window is a buffer that stays in the cache between reading and hashing.
type window [64 << 10]byte

var windows = sync.Pool{New: func() any { return new(window) }}

// fingerprintOf takes the fingerprint of pdf with its revision.
func fingerprintOf(pdf *io.SectionReader, revision []byte, m binding.Mark) ([16]byte, error) {
	f, err := binding.NewFingerprinter(m)
	if err != nil {
		return [16]byte{}, err
	}
	buffer := windows.Get().(*window)
	defer windows.Put(buffer)
	if _, err := io.CopyBuffer(f, io.NewSectionReader(pdf, 0, pdf.Size()), buffer[:]); err != nil {
		return [16]byte{}, err
	}
	_, _ = f.Write(revision)
	return f.Sum()
}

// errPlan is returned for a plan that does not fit the file. The child parsed
// hostile bytes, so nothing it says is taken on trust.
var errPlan = errors.New("the layout that came back does not fit the file")

// mark returns the mark of the revision for a file of size bytes. It checks that the
// requested mark is before the hole and that the file ends at the offset in the mark.
func (p plan) mark(size int64, ref payload.Reference, side int) (binding.Mark, error) {
	var mark binding.Mark
	found := 0
	for _, m := range binding.Marks(p.Revision) {
		if m.Reference == ref { // drawn after the file came in: nothing else can have it
			mark, found = m, found+1
		}
	}
	want := binding.Mark{Reference: ref, Start: p.Start, Length: int64(mark.Cipher.HoleLen(side)), End: size + int64(len(p.Revision)), Cipher: mark.Cipher}
	if found != 1 || mark != want || p.Length != want.Length || p.End != want.End || p.Start > p.End-p.Length {
		return want, errPlan
	}
	text := append(want.Append(nil), beforeHole...)
	before := p.Start - int64(len(text))
	if mark.Cipher.Method == binding.AES {
		before -= binding.IVLen
	}
	if before < size || !bytes.HasPrefix(p.Revision[before-size:], text) {
		return want, errPlan
	}
	return want, nil
}

// Frames between parent and child: one request and the file, one plan and the
// revision.
const (
	frameRequest byte = iota + 1
	frameFile
	framePlan
	frameRevision
	frameOptions
)

// A request holds the child's input other than the file.
type request struct {
	Placement Placement
	Reference payload.Reference
	Side      int
	Survey    bool // answer with options, not with a plan
}

// Survey returns the possible places of a stamp on pdf: that of pl, and then those at
// the nine anchors in the margins, the nearest one first. It leaves out an anchor at
// which the stamp has no room, or has a place that is in the list already. It writes
// nothing. It reads pdf, and returns errors, as [Stamper.Append] does.
func (s *Stamper) Survey(ctx context.Context, pdf *io.SectionReader, pl Placement, ref payload.Reference, side int) ([]Option, error) {
	var out []Option
	err := s.ask(ctx, pdf, request{pl, ref, side, true}, func(c *sandbox.Conn) error {
		answer, err := receive(c, frameOptions)
		if err != nil {
			return err
		}
		return json.Unmarshal(answer, &out)
	})
	if err == nil && len(out) == 0 {
		err = errPlan
	}
	return out, err
}

// plan has a child lay out the revision.
func (s *Stamper) plan(ctx context.Context, pdf *io.SectionReader, r request) (plan, error) {
	var p plan
	err := s.ask(ctx, pdf, r, func(c *sandbox.Conn) error {
		answer, err := receive(c, framePlan)
		if err != nil {
			return err
		}
		p = plan{}
		if err := json.Unmarshal(answer, &p); err != nil {
			return err
		}
		p.Revision, err = receive(c, frameRevision)
		return err
	})
	return p, err
}

// ask sends a request to a child and has listen take the answer, and does so again if a child is killed for the memory of others.
func (s *Stamper) ask(ctx context.Context, pdf *io.SectionReader, r request, listen func(*sandbox.Conn) error) error {
	if pdf.Size() > MaxBytes {
		return fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "the PDF has %d bytes, at most %d are stamped", pdf.Size(), MaxBytes)
	}
	if err := r.Placement.Caption.check(); err != nil {
		return err
	}
	head, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the placement: %w", err)
	}
	err = sandbox.Again(ctx, func(ctx context.Context) error {
		return s.pool.Do(ctx, func(c *sandbox.Conn) error {
			if err := c.Send(frameRequest, head); err != nil {
				return err
			}
			if err := c.SendFrom(frameFile, pdf); err != nil {
				return err
			}
			return listen(c)
		})
	})
	return refusal(err)
}

func receive(c *sandbox.Conn, want byte) ([]byte, error) {
	kind, data, err := c.Receive()
	if err == nil && kind != want {
		err = sandbox.ErrProtocol
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return data, err
}

// Role is the task of a child process of the pool: it parses one untrusted PDF and
// answers with the revision to append. It never receives a key or a payload.
func Role() sandbox.Role { return sandbox.Role{Name: "pdfstamp", Serve: serve} }

// gcPercent is the GC target of a child: the garbage that may accumulate, in percent
// of the live heap and of at least 4 MiB. The live heap is a few parsed objects: half
// of Go's default takes 1.7 MiB less memory and no more CPU (500 pages).
const gcPercent = 50

func serve(c *sandbox.Conn) error {
	debug.SetGCPercent(gcPercent)
	head, err := receive(c, frameRequest)
	if err != nil {
		return err
	}
	var r request
	if err := json.Unmarshal(head, &r); err != nil {
		return err
	}
	pdf, err := receive(c, frameFile)
	if err != nil {
		return err
	}
	f := &file{b: pdf, drop: func() { c.Drop(pdf) }}
	if r.Survey {
		options, err := survey(f, r.Placement, r.Reference, r.Side)
		return reply(c, frameOptions, options, err)
	}
	p, err := prepare(f, r.Placement, r.Reference, r.Side)
	if err := reply(c, framePlan, p, err); err != nil {
		return err
	}
	return c.Send(frameRevision, p.Revision)
}

// reply sends v, or the error of the work that was to give it.
func reply(c *sandbox.Conn, kind byte, v any, err error) error {
	if err != nil {
		return &sandbox.TaskError{Code: codeOf(err), Message: err.Error()}
	}
	answer, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.Send(kind, answer)
}
