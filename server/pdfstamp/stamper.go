package pdfstamp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/offline/sandbox"
	"tcode/server/fault"
)

// Limits on what is stamped (DESIGN section 10).
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

// Stamped is a stamped file and what was done to it.
type Stamped struct {
	PDF      []byte // begins with the bytes that were given
	Mark     binding.Mark
	Page     int     // the first stamped page, from 1
	Pages    []int   // all stamped pages, ascending
	Modules  int     // side of the symbol
	ModuleMM float64 // side of one module
	SizeMM   float64 // side of the symbol without quiet zone
	BoxMM    float64 // side of the box: symbol, quiet zone, padding
	XMM, YMM float64 // of the box's top left corner, from the top left of the first stamped page as shown
	Signed   bool    // the file carried signatures; they stay intact
	Warnings []string
}

// A Seal signs a payload over fingerprint and returns its text form, whose
// symbol must have the side that the stamp was laid out for.
type Seal func(fingerprint [16]byte) (text string, err error)

// Stamp appends a stamp with a symbol of side modules to pdf. It lays the
// revision out in a child process, takes the fingerprint of all but the hole,
// calls seal once and draws the symbol of the returned text into the hole.
//
// Errors of the file or placement are faults: INVALID_PDF (Invalid),
// PDF_NOT_STAMPABLE (Rejected), PAYLOAD_TOO_LARGE (TooLarge). An error of seal
// comes back as it is. All others are ours, and Internal by [fault.As].
func (s *Stamper) Stamp(ctx context.Context, pdf []byte, pl Placement, ref payload.Reference, side int, seal Seal) (Stamped, error) {
	if len(pdf) > MaxBytes {
		return Stamped{}, fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "the PDF has %d bytes, at most %d are stamped", len(pdf), MaxBytes)
	}
	p, err := s.plan(ctx, pdf, request{pl, ref, side})
	if err != nil {
		return Stamped{}, err
	}
	out, mark, err := join(pdf, p, ref, side)
	if err != nil {
		return Stamped{}, err
	}
	fingerprint, err := binding.Fingerprint(out, mark)
	if err != nil {
		return Stamped{}, fmt.Errorf("take the fingerprint: %w", err)
	}
	text, err := seal(fingerprint)
	if err != nil {
		return Stamped{}, err
	}
	modules, err := Symbol(text)
	if err != nil {
		return Stamped{}, fmt.Errorf("draw the symbol: %w", err)
	}
	if modules.Side != side {
		return Stamped{}, fmt.Errorf("the sealed text takes %d modules, the stamp was laid out for %d", modules.Side, side)
	}
	copy(out[mark.Start:mark.Start+mark.Length], binding.SymbolStream(modules))
	return Stamped{
		PDF: out, Mark: mark, Page: p.Page, Pages: p.Pages,
		Modules: side, ModuleMM: p.ModuleMM, SizeMM: p.ModuleMM * float64(side), BoxMM: p.BoxMM, XMM: p.XMM, YMM: p.YMM,
		Signed: p.Signed, Warnings: p.Warnings,
	}, nil
}

// errPlan is returned for a plan that does not fit the file. The child parsed
// hostile bytes, so nothing it says is taken on trust.
var errPlan = errors.New("the layout that came back does not fit the file")

// join appends the revision to pdf and checks that the mark that was asked for
// stands before the hole and that the file ends where it says.
func join(pdf []byte, p plan, ref payload.Reference, side int) ([]byte, binding.Mark, error) {
	out := slices.Concat(pdf, p.Revision)
	want := binding.Mark{Reference: ref, Start: p.Start, Length: int64(binding.StreamLen(side)), End: int64(len(out))}
	text := append(want.Append(nil), beforeHole...)
	first := int64(len(pdf) + len(text))
	if p.Length != want.Length || p.End != want.End || p.Start < first || p.Start > p.End-p.Length {
		return nil, want, errPlan
	}
	if !bytes.Equal(out[p.Start-int64(len(text)):p.Start], text) {
		return nil, want, errPlan
	}
	return out, want, nil
}

// Frames between parent and child: one request and the file, one plan and the
// revision.
const (
	frameRequest byte = iota + 1
	frameFile
	framePlan
	frameRevision
)

// A request is what the child needs to know besides the file.
type request struct {
	Placement Placement
	Reference payload.Reference
	Side      int
}

// plan has a child lay out the revision.
func (s *Stamper) plan(ctx context.Context, pdf []byte, r request) (plan, error) {
	head, err := json.Marshal(r)
	if err != nil {
		return plan{}, fmt.Errorf("encode the placement: %w", err)
	}
	var p plan
	err = s.pool.Do(ctx, func(c *sandbox.Conn) error {
		if err := c.Send(frameRequest, head); err != nil {
			return err
		}
		if err := c.Send(frameFile, pdf); err != nil {
			return err
		}
		answer, err := receive(c, framePlan)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(answer, &p); err != nil {
			return err
		}
		p.Revision, err = receive(c, frameRevision)
		return err
	})
	if err != nil {
		return plan{}, refusal(err)
	}
	return p, nil
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

// Role is what a child process of the pool does: it parses one untrusted PDF
// and answers with the revision to append. It never sees a key or a payload.
func Role() sandbox.Role { return sandbox.Role{Name: "pdfstamp", Serve: serve} }

func serve(c *sandbox.Conn) error {
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
	p, err := prepare(pdf, r.Placement, r.Reference, r.Side)
	if err != nil {
		return &sandbox.TaskError{Code: codeOf(err), Message: err.Error()}
	}
	answer, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := c.Send(framePlan, answer); err != nil {
		return err
	}
	return c.Send(frameRevision, p.Revision)
}
