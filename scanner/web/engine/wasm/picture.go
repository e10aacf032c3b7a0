//go:build js

package main

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"

	"tcode/offline/host/webapi"
	"tcode/scanner/gray"
	"tcode/scanner/web/engine"
)

// A picture is one that the worker holds for the request with this id.
type picture struct {
	id            int64
	width, height int
}

// openPicture has the worker decode the picture of a request.
func openPicture(ctx context.Context, id int64) (engine.Decoded, error) {
	size, err := webapi.Await(ctx, func() js.Value { return js.Global().Call("tcodeOpen", id) })
	if err != nil {
		return nil, err
	}
	return picture{id, size.Index(0).Int(), size.Index(1).Int()}, nil
}

func (p picture) Size() (width, height int) { return p.width, p.height }

var errPixels = errors.New("the worker gave another number of pixels")

// Gray copies the pixels that the worker draws.
func (p picture) Gray(into *gray.Image, part gray.Rect, by int) error {
	w, h := part.X1-part.X0, part.Y1-part.Y0
	pixels, err := webapi.Try(func() js.Value { return js.Global().Call("tcodeGray", p.id, part.X0, part.Y0, w, h, by) })
	if err != nil {
		return fmt.Errorf("draw a picture: %w", err)
	}
	into.Reset(gray.Reduced(w, by), gray.Reduced(h, by))
	if pixels.Length() != len(into.Pix) {
		return errPixels
	}
	js.CopyBytesToGo(into.Pix, pixels)
	return nil
}

func (p picture) Close() { js.Global().Call("tcodeClose", p.id) }
