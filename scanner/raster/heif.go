package raster

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"slices"

	"tcode/scanner/gray"
)

// theHEIC and theAVIF decode one image each. Neither gets a host function, so they can read the bytes of the file and write
// pixels, nothing else. Their memory holds the file, the decoder's pictures and the pixels.
var (
	theHEIC = &wasmLibrary{name: "libheif", module: heicModule, memory: heicBytes}
	theAVIF = &wasmLibrary{name: "libavif", module: avifModule, memory: avifBytes}
)

// heicBytes and avifBytes bound the memory of the decoders: libheif needs 6 bytes a pixel and libavif 22 to 33, so the gray
// image of the process, of one byte a pixel, is small if that of libavif is not. The process itself needs 50 MiB.
const (
	heicBytes = 352 << 20
	avifBytes = 400 << 20
)

// heifKind is a kind of file with the structure of HEIF.
type heifKind struct {
	library *wasmLibrary
	codings []string // types of items that the library decodes
	decode  func(i *instance, file []byte, s still, l Limits) (*gray.Image, error)
}

var heifKinds = map[Kind]heifKind{
	HEIC: {theHEIC, []string{"hvc1", "hev1"}, decodeHEIC},
	AVIF: {theAVIF, []string{"av01"}, decodeAVIF},
}

// heifEngine is a HEIC or AVIF file with one image. Its boxes are checked before the decoder sees the file.
type heifEngine struct {
	kind   heifKind
	file   []byte
	still  still
	limits Limits
}

func openHEIF(k Kind, file []byte, l Limits) (engine, error) {
	e := &heifEngine{kind: heifKinds[k], file: file, limits: l}
	var err error
	if e.still, err = readStill(file, l); err != nil {
		return nil, err
	}
	if !slices.Contains(e.kind.codings, e.still.coding) {
		return nil, &Error{Err: ErrUnsupported, Detail: fmt.Sprintf("its main image is coded as %q", e.still.coding)}
	}
	return e, nil
}

func (e *heifEngine) pages() int { return 1 }

func (e *heifEngine) close() {}

func (e *heifEngine) page(_ int, _ float64, _ int, into *gray.Image) (drawn, error) {
	m, err := e.run(e.file)
	if err == nil && e.still.alpha != 0 && e.kind.library == theHEIC {
		err = e.veil(m)
	}
	if err != nil {
		return drawn{}, err
	}
	*into = *m
	return drawn{}, nil
}

// veil lays m over white. The decoder of HEIC returns one item, without its transparency, which is an item of its own: for a
// second run, that one is the main item of a copy of the file.
func (e *heifEngine) veil(m *gray.Image) error {
	file := bytes.Clone(e.file)
	number := file[e.still.number:e.still.numberEnd]
	for n, v := len(number)-1, e.still.alpha; n >= 0; n, v = n-1, v>>8 {
		number[n] = byte(v)
	}
	opaque, err := e.run(file)
	if err != nil {
		return err
	}
	if opaque.Width != m.Width || opaque.Height != m.Height {
		return &Error{Err: ErrUnsupported, Detail: "its transparency has another size than its image"}
	}
	for i, a := range opaque.Pix {
		v := uint32(m.Pix[i])
		if e.still.premultiplied {
			m.Pix[i] = byte(min(255, v+255-uint32(a)))
		} else {
			m.Pix[i] = lumaOver(v, v, v, uint32(a))
		}
	}
	return nil
}

// run decodes file with an instance of its own.
func (e *heifEngine) run(file []byte) (*gray.Image, error) {
	library := e.kind.library
	if err := library.prepare(""); err != nil {
		return nil, err
	}
	i, err := library.code.start(nil)
	if err != nil {
		return nil, library.stopped(err)
	}
	defer i.close()
	m, err := e.kind.decode(i, file, e.still, e.limits)
	if _, ours := errors.AsType[*Error](err); err != nil && !ours {
		return nil, library.stopped(err)
	}
	return m, err
}

// checkSides is checkSize for numbers of 32 bits.
func checkSides(w, h int, l Limits) error {
	if w > l.MaxPixels || h > l.MaxPixels { // their product may be no number
		return &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("an image of %d x %d pixels, the limit is %d million pixels", w, h, l.MaxPixels/1_000_000)}
	}
	return checkSize(image.Config{Width: w, Height: h}, l)
}

// outcome returns the error of a call that returned ok, 0 if it failed. A decoder that had too little memory may claim success.
func (i *instance) outcome(l *wasmLibrary, ok uint64, err error) error {
	switch {
	case err != nil:
		return err
	case i.memory.refused:
		return errExhausted
	case ok == 0:
		return &Error{Err: ErrDamaged, Detail: l.name + " cannot decode it"}
	}
	return nil
}

// place copies file into the instance, with room for n results of four bytes.
func (i *instance) place(file []byte, n int) (at, results uint64, err error) {
	if at, err = i.allocate(len(file), file); err != nil {
		return 0, 0, err
	}
	results, err = i.allocate(4*n, nil)
	return at, results, err
}

// results returns n numbers of four bytes.
func (i *instance) results(at uint64, n int) ([]int, error) {
	out := make([]int, n)
	for k := range out {
		v, ok := i.module.Memory().ReadUint32Le(uint32(at) + 4*uint32(k))
		if !ok {
			return nil, errAborted
		}
		out[k] = int(v)
	}
	return out, nil
}
