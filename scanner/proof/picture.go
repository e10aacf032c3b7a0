package proof

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"

	"tcode/scanner/raster"
	"tcode/scanner/readback"
)

// pictureDPI is the resolution of a picture, where maxPicture allows it: A4 gives 1240 x 1754 px.
const (
	pictureDPI = 150
	maxPicture = 2_500_000 // px
)

// Picture draws a page of pdf in colour. Errors are those of package raster and [ErrPages].
func (p *Prover) Picture(ctx context.Context, pdf *io.SectionReader, page int) (out readback.Picture, err error) {
	var v raster.View
	err = p.raster.OpenFrom(ctx, pdf, func(d *raster.Document) error {
		v, err = view(d, raster.ViewRequest{Page: page, DPI: pictureDPI, Colour: true, MaxPixels: maxPicture})
		return err
	})
	if err != nil {
		return out, err
	}
	img := image.NewRGBA(image.Rect(0, 0, v.Width, v.Height))
	for i, j := 0, 0; i < len(v.Pix); i, j = i+3, j+4 {
		img.Pix[j], img.Pix[j+1], img.Pix[j+2], img.Pix[j+3] = v.Pix[i], v.Pix[i+1], v.Pix[i+2], 255
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, img); err != nil {
		return out, fmt.Errorf("encode page %d: %w", page, err)
	}
	return readback.Picture{PNG: b.Bytes(), Width: v.Width, Height: v.Height, DPI: v.DPI}, nil
}
