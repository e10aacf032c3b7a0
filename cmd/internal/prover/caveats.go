package prover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tcode/offline/sandbox"
	"tcode/scanner/caveat"
	"tcode/scanner/raster"
)

// Roles are what child processes of a Prover do.
func Roles() []sandbox.Role {
	return append(raster.Roles(), sandbox.Role{Name: caveatRole, Serve: serveCaveats})
}

const (
	caveatRole = "caveats"
	// caveatBytes bounds the memory of a child: what is looked at is inflated, and
	// the gateway is not to grow by what a stranger made to be inflated.
	caveatBytes = 512 << 20
)

// The frames of a task: a file, and the caveats as JSON.
const (
	frameFile byte = iota + 1
	frameCaveats
)

// Caveats returns what scanners add to their answer about pdf. Of a file that a
// child process comes to harm over they can tell no more than that.
func (p *Prover) Caveats(ctx context.Context, pdf *io.SectionReader) ([]string, error) {
	var found []caveat.Caveat
	err := p.caveats.Do(ctx, func(c *sandbox.Conn) error {
		if err := c.SendFrom(frameFile, pdf); err != nil {
			return err
		}
		_, answer, err := c.Receive()
		if err != nil {
			return err
		}
		return json.Unmarshal(answer, &found)
	})
	for _, harm := range []error{sandbox.ErrTimeout, sandbox.ErrMemory, sandbox.ErrCrashed, sandbox.ErrProtocol} {
		if errors.Is(err, harm) {
			found, err = []caveat.Caveat{caveat.Unexamined()}, nil
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("look for what scanners will say: %w", err)
	}
	var out []string
	for _, c := range found {
		out = append(out, c.Text)
	}
	return out, nil
}

func serveCaveats(c *sandbox.Conn) error {
	_, file, err := c.Receive()
	if err != nil {
		return err
	}
	answer, err := json.Marshal(caveat.Of(file))
	if err != nil {
		return err
	}
	return c.Send(frameCaveats, answer)
}
