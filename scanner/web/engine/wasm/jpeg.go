//go:build js

package main

import (
	"context"
	"fmt"
	"syscall/js"

	"tcode/offline/host/webapi"
	"tcode/scanner/gray"
)

// decodeJPEG has the worker decode a JPEG picture and make it w by h px of gray.
func decodeJPEG(ctx context.Context, jpeg []byte, w, h int) (*gray.Image, error) {
	v, err := webapi.Await(ctx, func() js.Value { return js.Global().Call("tcodeDecode", webapi.Array(jpeg), w, h) })
	if err != nil {
		return nil, fmt.Errorf("decode a picture: %w", err)
	}
	return &gray.Image{Width: w, Height: h, Stride: w, Pix: webapi.Bytes(v)}, nil
}
