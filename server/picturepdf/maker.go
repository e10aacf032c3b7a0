package picturepdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"tcode/offline/host/sandbox"
	"tcode/server/fault"
)

// A Maker makes PDFs of pictures. It is safe for concurrent use.
type Maker struct {
	pool *sandbox.Pool
}

// New returns a Maker that decodes in the children of pool, which must have been made for [Role].
func New(pool *sandbox.Pool) *Maker { return &Maker{pool} }

// Frames between parent and child.
const (
	framePicture byte = iota + 1
	framePiece
)

// piece is the length of a frame of the PDF.
const piece = 1 << 20

// Make writes the PDF of a picture to w. This process holds neither: picture is passed to the child as
// [sandbox.Conn.SendFrom] does, and the PDF comes in pieces. If Make returns an error, w may have got a part.
//
// Errors of the picture are faults that blame the member pdf: INVALID_PDF (Invalid), PDF_NOT_STAMPABLE (Rejected),
// PAYLOAD_TOO_LARGE (TooLarge).
func (m *Maker) Make(ctx context.Context, picture *io.SectionReader, w io.Writer) error {
	if picture.Size() > maxOutput {
		return fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "the picture has %d bytes, at most %d are taken", picture.Size(), maxOutput)
	}
	var broken error // of w
	err := m.pool.Do(ctx, func(c *sandbox.Conn) error {
		if err := c.SendFrom(framePicture, picture); err != nil {
			return err
		}
		for n := 0; ; {
			kind, data, err := c.Receive()
			switch n += len(data); {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return err
			case kind != framePiece || n > maxOutput:
				return sandbox.ErrProtocol
			}
			if _, broken = w.Write(data); broken != nil {
				return broken
			}
		}
	})
	if broken != nil {
		return fmt.Errorf("write the PDF of a picture: %w", broken)
	}
	return refusal(err)
}

// Role is the task of a child process of the pool: it decodes one untrusted picture and answers with a PDF.
func Role() sandbox.Role { return sandbox.Role{Name: "picturepdf", Serve: serve} }

// gcPercent is the GC target of a child: a decoded page is most of its heap, and garbage of half its size has room in
// [MemoryBytes] only for small ones.
const gcPercent = 15

func serve(c *sandbox.Conn) error {
	debug.SetGCPercent(gcPercent)
	defer debug.FreeOSMemory() // an idle child keeps no picture's memory
	kind, picture, err := c.Receive()
	if err != nil {
		return err
	}
	if kind != framePicture {
		return sandbox.ErrProtocol
	}
	pdf, err := convert(picture)
	if err != nil {
		return &sandbox.TaskError{Code: codeOf(err), Message: err.Error()}
	}
	for r := bytes.NewBuffer(pdf); r.Len() > 0; {
		if err := c.Send(framePiece, r.Next(piece)); err != nil {
			return err
		}
	}
	return nil
}
