package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"tcode/scanner/gray"
	"tcode/scanner/picturefile"
)

// codec reads one image format. config must not allocate memory for the size that a file claims.
type codec struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// codecs are those of the single-image kinds; they read the first frame of an animation.
var codecs = map[Kind]codec{
	PNG:  {png.DecodeConfig, png.Decode},
	JPEG: {jpeg.DecodeConfig, jpeg.Decode},
	BMP:  {bmp.DecodeConfig, bmp.Decode},
	GIF:  {gif.DecodeConfig, gif.Decode},
	WebP: {webp.DecodeConfig, webp.Decode},
}

// imageEngine is a file with one image. It decodes on request: its header is checked before that.
type imageEngine struct {
	codec  codec
	png    bool // perhaps a plain one
	jpeg   bool
	file   []byte
	meta   picturefile.Meta
	limits Limits
	width  int // px; not 0: the codec does not know this variant of the format, but MuPDF may
}

func openImage(k Kind, file []byte, l Limits) (engine, error) {
	c := codecs[k]
	if k == WebP {
		file = firstFrame(file)
	}
	cfg, err := c.config(bytes.NewReader(file))
	e := &imageEngine{codec: c, png: k == PNG, jpeg: k == JPEG, file: file, meta: picturefile.MetaOf(k, file), limits: l}
	if errors.Is(err, bmp.ErrUnsupported) { // compressed by run lengths, for instance
		cfg, err = bmpConfig(file)
		e.width = cfg.Width
	}
	if err != nil {
		return nil, err
	}
	if err := checkSize(cfg, l); err != nil {
		return nil, err
	}
	if n := decodedBytes(k, cfg, file); n > maxDecoded {
		return nil, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("an image of %d x %d pixels that takes %d MiB of memory, the limit is %d MiB",
			cfg.Width, cfg.Height, n>>20, maxDecoded>>20)}
	}
	return e, nil
}

// maxDecoded bounds the memory for decoding an image, including the gray image.
const maxDecoded = 320 << 20

// decodedBytes returns the approximate memory that the decoder needs for an image and its gray copy.
func decodedBytes(k Kind, cfg image.Config, file []byte) int64 {
	pixels := int64(cfg.Width) * int64(cfg.Height)
	each := int64(4)
	switch cfg.ColorModel {
	case color.GrayModel:
		each = 1
	case color.Gray16Model:
		each = 2
	case color.YCbCrModel:
		each = 3
	case color.RGBA64Model, color.NRGBA64Model:
		each = 8
	default:
		if _, ok := cfg.ColorModel.(color.Palette); ok {
			each = 1
		}
	}
	n := pixels * each
	switch {
	case k == PNG && len(file) > 28 && file[28] != 0: // interlaced: a pass is an image of half the size
		n += n / 2
	case k == JPEG && progressive(file):
		n += 4 * n // coefficients of four bytes
	}
	return n + pixels
}

// progressive reports whether the first frame of a JPEG is progressive (ITU-T T.81, B.1.1.3).
func progressive(file []byte) bool {
	for at := 2; at+4 <= len(file) && file[at] == 0xFF; {
		switch marker := file[at+1]; {
		case marker == 0xFF: // fill
			at++
			continue
		case marker == 0xC2:
			return true
		case marker == 0xC0, marker == 0xC1, marker == 0xDA:
			return false
		}
		at += 2 + int(binary.BigEndian.Uint16(file[at+2:]))
	}
	return false
}

// bmpConfig reads the size from a BITMAPINFOHEADER or a later one.
func bmpConfig(file []byte) (cfg image.Config, err error) {
	if len(file) < 26 || binary.LittleEndian.Uint32(file[14:]) < 40 {
		return cfg, &Error{Err: ErrUnsupported, Detail: "a BMP of an old kind"}
	}
	cfg.Width = int(int32(binary.LittleEndian.Uint32(file[18:])))
	cfg.Height = int(int32(binary.LittleEndian.Uint32(file[22:])))
	if cfg.Height < 0 { // the rows are stored from the top
		cfg.Height = -cfg.Height
	}
	return cfg, nil
}

// checkSize checks the claimed size of an image before any of it is decoded.
func checkSize(cfg image.Config, l Limits) error {
	if cfg.Width < 1 || cfg.Height < 1 {
		return &Error{Err: ErrDamaged, Detail: "the image has no area"}
	}
	if int64(cfg.Width)*int64(cfg.Height) > int64(l.MaxPixels) {
		return &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("an image of %d x %d pixels, the limit is %d million pixels",
			cfg.Width, cfg.Height, l.MaxPixels/1_000_000)}
	}
	return nil
}

func (e *imageEngine) pages() int { return 1 }

func (e *imageEngine) close() {}

func (e *imageEngine) page(_ int, _ float64, _ int, into *gray.Image) (drawn, error) {
	if e.width > 0 {
		return drawn{dpi: e.meta.DPI}, drawImage(e.file, 0, e.width, 0, e.limits, into)
	}
	if e.png && decodePNG(e.file, into) {
		*into = *orient(into, e.meta.Orientation)
		return drawn{dpi: e.meta.DPI}, nil
	}
	img, err := e.codec.decode(bytes.NewReader(e.file))
	if e.jpeg && errors.Is(err, io.ErrUnexpectedEOF) { // without its end, as phones write panoramas
		img, err = e.codec.decode(io.MultiReader(bytes.NewReader(e.file), strings.NewReader("\xff\xd9")))
	}
	if err != nil {
		return drawn{}, err
	}
	*into = *orient(toGray(img), e.meta.Orientation)
	return drawn{dpi: e.meta.DPI}, nil
}
