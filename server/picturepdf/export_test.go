package picturepdf

import (
	"bytes"

	"tcode/scanner/filekind"
	"tcode/scanner/picturefile"
)

// ConvertForTest returns the PDF of a picture, in this process, and a word for the refusal.
func ConvertForTest(picture []byte) (pdf []byte, refused string) {
	pdf, err := convert(bytes.Clone(picture))
	if err != nil {
		return nil, codeOf(err)
	}
	return pdf, ""
}

// PixelsForTest returns the pixels that a picture claims on all pages.
func PixelsForTest(picture []byte) (n int) {
	if kind := filekind.Of(picture); kind != filekind.TIFF {
		w, h, _ := picturefile.Size(kind, picture)
		return w * h
	}
	frames, _ := framesOf(picture)
	for _, f := range frames {
		n += f.Width * f.Height
	}
	return n
}
