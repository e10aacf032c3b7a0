package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"

	"tcode/offline/host/sandbox"
	"tcode/offline/payload"
	"tcode/scanner"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/simulate"
	"tcode/server/pdfstamp"
)

// A lab makes scans, photos and forgeries of a stamped document. The forger has
// all programs of this project, but not the issuer's key.
type lab struct {
	raster  *raster.Rasterizer
	scanner *scanner.Scanner
	pool    *sandbox.Pool
	stamper *pdfstamp.Stamper
}

func newLab() (*lab, error) {
	pool := sandbox.NewPool(sandbox.Config{Role: pdfstamp.Role().Name})
	return &lab{
		raster:  raster.New(sandbox.Config{}, raster.Limits{}),
		scanner: scanner.New(scanner.Config{}),
		pool:    pool,
		stamper: pdfstamp.New(pool),
	}, nil
}

func (l *lab) close() {
	l.raster.Close()
	_ = l.scanner.Close() // nothing was written
	l.pool.Close()
}

// page renders the last page, where the stamp is.
func (l *lab) page(ctx context.Context, pdf []byte, dpi float64) (*gray.Image, error) {
	var img *gray.Image
	err := l.raster.Open(ctx, pdf, func(d *raster.Document) error {
		page, err := d.Page(d.Pages, dpi)
		img = page.Image
		return err
	})
	return img, err
}

// scan prints the last page and lays it on a flatbed scanner at 200 dpi.
func (l *lab) scan(ctx context.Context, pdf []byte, seed uint64) ([]byte, error) {
	img, err := l.page(ctx, pdf, 200)
	if err != nil {
		return nil, err
	}
	return simulate.EncodePNG(simulate.Scan(img, seed))
}

// photo prints the last page and photographs it with a phone. A phone of 12
// megapixels with an A4 page in the frame has about 300 dpi.
func (l *lab) photo(ctx context.Context, pdf []byte, seed uint64) ([]byte, error) {
	img, err := l.page(ctx, pdf, 300)
	if err != nil {
		return nil, err
	}
	return simulate.EncodeJPEG(simulate.Photo(img, seed), 85)
}

// read returns the text of the stamp on a PDF, as the forger's phone reads it.
func (l *lab) read(ctx context.Context, pdf []byte) (text string, p payload.Payload, err error) {
	err = l.scanner.Read(ctx, "stamped", pdf, scanner.DocumentOptions{StampOnly: true}, func(page scanner.Page) error {
		for _, s := range page.Reading.Symbols {
			text = s.Text
		}
		return nil
	})
	if err != nil {
		return "", payload.Payload{}, err
	}
	raw, err := payload.DecodeText(text)
	if err != nil {
		return "", payload.Payload{}, fmt.Errorf("read own stamp: %w", err)
	}
	p, err = payload.Parse(raw)
	return text, p, err
}

// forge stamps pdf in the issuer's name, signed by the forger's own key.
func (l *lab) forge(ctx context.Context, genuine, pdf []byte) ([]byte, error) {
	_, p, err := l.read(ctx, genuine)
	if err != nil {
		return nil, err
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	return l.stamp(ctx, pdf, p.Reference, func(fingerprint [16]byte) (string, error) {
		p.Fingerprint = fingerprint
		if err := p.Seal(key); err != nil {
			return "", err
		}
		raw, err := p.Append(nil)
		return payload.EncodeText(raw), err
	})
}

// alter draws the genuine symbol with another document type.
func (l *lab) alter(ctx context.Context, genuine []byte) ([]byte, error) {
	_, p, err := l.read(ctx, genuine)
	if err != nil {
		return nil, err
	}
	p.DocumentType = "LTR"
	raw, err := p.Append(nil)
	if err != nil {
		return nil, err
	}
	return pdfstamp.BarcodePNG(payload.EncodeText(raw), 8)
}

// paste puts the genuine symbol on another document, with this project's
// stamping engine, so that only the binding can detect it.
func (l *lab) paste(ctx context.Context, genuine, pdf []byte) ([]byte, error) {
	text, p, err := l.read(ctx, genuine)
	if err != nil {
		return nil, err
	}
	return l.stamp(ctx, pdf, p.Reference, func([16]byte) (string, error) { return text, nil })
}

func (l *lab) stamp(ctx context.Context, pdf []byte, ref payload.Reference, seal pdfstamp.Seal) ([]byte, error) {
	const side = 40 // modules of a payload without optional parts
	out, err := l.stamper.Append(ctx, io.NewSectionReader(bytes.NewReader(pdf), 0, int64(len(pdf))), pdfstamp.Placement{}, ref, side, seal)
	return slices.Concat(pdf, out.Revision), err
}

// change alters one byte of the original document: a digit of the line that
// only gives PDF readers the file's version.
func change(pdf []byte, original int) ([]byte, error) {
	out := bytes.Clone(pdf)
	at := bytes.Index(out[:original], []byte("%PDF-1."))
	if at < 0 {
		return nil, errors.New("no PDF header")
	}
	digit := &out[at+len("%PDF-1.")]
	*digit = '0' + (*digit-'0'+1)%8
	return out, nil
}
