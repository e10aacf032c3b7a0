package brand

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"tcode/server/fault"
)

// A Logo is a picture that was decoded and encoded again, so that it is nothing else.
type Logo struct {
	SHA256        string // of Data, in hexadecimal; "": no logo
	Type          string // image/png or image/jpeg
	Width, Height int    // px
	Data          []byte
}

// Limits of a logo.
const (
	MaxSide   = 512        // px
	MaxUpload = 1 << 20    // bytes of the file that is sent
	MaxLogo   = 128 * 1024 // bytes of the file that pages load
)

const jpegQuality = 85

// NewLogo returns the logo in a PNG or JPEG file.
func NewLogo(file []byte) (Logo, error) {
	if len(file) > MaxUpload {
		return Logo{}, invalid("is larger than 1 MiB")
	}
	config, kind, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil || kind != "png" && kind != "jpeg" {
		return Logo{}, invalid("must be a PNG or a JPEG picture")
	}
	if config.Width < 1 || config.Height < 1 || config.Width > MaxSide || config.Height > MaxSide {
		return Logo{}, invalid("is %d x %d px; at most %d x %d are allowed", config.Width, config.Height, MaxSide, MaxSide)
	}
	picture, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return Logo{}, invalid("is damaged")
	}
	var out bytes.Buffer
	if kind == "png" {
		err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, picture)
	} else {
		err = jpeg.Encode(&out, picture, &jpeg.Options{Quality: jpegQuality})
	}
	if err != nil {
		return Logo{}, fmt.Errorf("encode a logo: %w", err)
	}
	if out.Len() > MaxLogo {
		return Logo{}, invalid("is larger than 128 KiB as it is shown; make it smaller, or simpler")
	}
	sum := sha256.Sum256(out.Bytes())
	size := picture.Bounds()
	return Logo{hex.EncodeToString(sum[:]), "image/" + kind, size.Dx(), size.Dy(), out.Bytes()}, nil
}

func invalid(format string, args ...any) error {
	var p fault.Fields
	p.Add("logo", format, args...)
	return p.Err()
}
