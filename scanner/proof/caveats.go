package proof

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tcode/offline/host/sandbox"
	"tcode/scanner/caveat"
	"tcode/scanner/raster"
)

// Roles are what child processes of a [Reader] do.
func Roles() []sandbox.Role {
	return append(raster.Roles(), sandbox.Role{Name: caveatRole, Serve: serveCaveats})
}

const (
	caveatRole = "caveats"
	// caveatBytes bounds the memory of a child: it inflates the file, and the
	// gateway must not grow by data that a stranger made for that.
	caveatBytes = 512 << 20
)

// The frames of a task: a file, as the question about it, and the answer as
// JSON.
const (
	frameFile byte = iota + 1 // its caveats
	frameCaveats
	frameFonts // its pages with fonts of its own
	frameOwn
)

// Caveats returns, in words for people, why the bytes of pdf alone do not settle
// the display: the caveats that scanners add to their answer about it. If the file
// harms a child process, the answer says only that.
func (r *Reader) Caveats(ctx context.Context, pdf *io.SectionReader) ([]string, error) {
	var found []caveat.Caveat
	harmed, err := r.ask(ctx, frameFile, pdf, &found)
	if err != nil {
		return nil, fmt.Errorf("look for what scanners will say: %w", err)
	}
	if harmed {
		found = []caveat.Caveat{caveat.Unexamined()}
	}
	var out []string
	for _, c := range found {
		out = append(out, c.Text)
	}
	return out, nil
}

// ownFonts returns the pages of pdf that draw text in fonts of the file alone. Of
// a file that harms a child process none is known.
func (r *Reader) ownFonts(ctx context.Context, pdf *io.SectionReader) (pages []int, err error) {
	harmed, err := r.ask(ctx, frameFonts, pdf, &pages)
	if err != nil {
		return nil, fmt.Errorf("look for fonts: %w", err)
	}
	if harmed {
		return nil, nil
	}
	return pages, nil
}

// ask sends pdf to a child as a question of the given kind and stores its answer.
// harmed reports whether pdf harmed the child.
func (r *Reader) ask(ctx context.Context, kind byte, pdf *io.SectionReader, answer any) (harmed bool, err error) {
	err = sandbox.Again(ctx, func(ctx context.Context) error {
		return r.caveats.Do(ctx, func(c *sandbox.Conn) error {
			if err := c.SendFrom(kind, pdf); err != nil {
				return err
			}
			_, data, err := c.Receive()
			if err != nil {
				return err
			}
			return json.Unmarshal(data, answer)
		})
	})
	for _, harm := range []error{sandbox.ErrTimeout, sandbox.ErrMemory, sandbox.ErrCrashed, sandbox.ErrProtocol} {
		if errors.Is(err, harm) {
			return true, nil
		}
	}
	return false, err
}

func serveCaveats(c *sandbox.Conn) error {
	kind, file, err := c.Receive()
	if err != nil {
		return err
	}
	reply, found := frameCaveats, any(nil)
	if kind == frameFonts {
		reply, found = frameOwn, caveat.OwnFonts(file)
	} else {
		found = caveat.Of(file)
	}
	answer, err := json.Marshal(found)
	if err != nil {
		return err
	}
	return c.Send(reply, answer)
}
