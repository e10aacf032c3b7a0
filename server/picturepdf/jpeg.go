package picturepdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// Markers of a JPEG file (ITU-T T.81, table B.1).
const (
	markSOF0  = 0xC0 // baseline
	markSOF1  = 0xC1 // extended
	markSOF2  = 0xC2 // progressive
	markDHT   = 0xC4
	markJPG   = 0xC8
	markDAC   = 0xCC
	markSOF15 = 0xCF
	markRST0  = 0xD0
	markRST7  = 0xD7
	markEOI   = 0xD9
	markSOS   = 0xDA
	markDQT   = 0xDB
	markDRI   = 0xDD
	markAPP0  = 0xE0
	markAPP14 = 0xEE
)

// A jpegFile is a JPEG file with what decoders need and nothing else: no metadata, no thumbnail, nothing after its end.
type jpegFile struct {
	bytes         []byte
	width, height int
	components    int
	progressive   bool
	endless       bool               // the file has no end marker, but all scans
	scanned       int                // components in the scans so far
	refined       map[byte]*[64]bool // of a progressive picture: coefficients of a component with all their bits
	blocks        float64            // samples of all components
}

// memory returns the bytes that the decoder holds: the samples, and of a progressive picture all coefficients.
func (j jpegFile) memory() float64 {
	if j.progressive {
		return 5 * j.blocks
	}
	return j.blocks
}

// cleanJPEG reads the segments of a file up to its end. It decodes nothing.
func cleanJPEG(file []byte) (j jpegFile, err error) {
	out := append(make([]byte, 0, len(file)), 0xFF, 0xD8)
	for b := file[2:]; ; {
		for len(b) >= 2 && b[0] == 0xFF && b[1] == 0xFF { // fill bytes
			b = b[1:]
		}
		switch {
		case len(b) < 2 && j.complete(): // phones write panoramas so
			j.endless, j.bytes = true, append(out, 0xFF, markEOI)
			return j, nil
		case len(b) < 2:
			return j, errCut
		case b[0] != 0xFF:
			return j, fmt.Errorf("%w: no marker", errDamaged)
		case b[1] == markEOI:
			if j.width == 0 {
				return j, errDamaged
			}
			j.bytes = append(out, 0xFF, markEOI)
			return j, nil
		case len(b) < 4:
			return j, errCut
		}
		marker, n := b[1], int(binary.BigEndian.Uint16(b[2:]))
		if n < 2 {
			return j, errDamaged
		}
		if len(b) < 2+n {
			return j, errCut
		}
		segment := b[:2+n]
		b = b[2+n:]
		if err := j.take(marker, segment[4:]); err != nil {
			return j, err
		}
		out = append(out, kept(marker, segment)...)
		if marker == markSOS {
			scan := scanLen(b)
			out = append(out, b[:scan]...)
			b = b[scan:]
		}
	}
}

// kept returns the part of a segment that decoders need. An Adobe or JFIF segment says what the colours are.
func kept(marker byte, segment []byte) []byte {
	switch marker {
	case markDHT, markDQT, markDRI, markSOS, markSOF0, markSOF1, markSOF2, markAPP14:
		return segment
	case markAPP0:
		if bytes.HasPrefix(segment[4:], []byte("JFIF\x00")) && len(segment) >= 18 {
			head := bytes.Clone(segment[:18])
			head[2], head[3], head[16], head[17] = 0, 16, 0, 0 // without its thumbnail
			return head
		}
	}
	return nil
}

// scanLen returns the length of the coded data at the start of b, which ends before a marker.
func scanLen(b []byte) int {
	for i := 0; ; {
		at := bytes.IndexByte(b[i:], 0xFF)
		if at < 0 || i+at+1 >= len(b) {
			return len(b)
		}
		i += at
		if next := b[i+1]; next != 0 && next != 0xFF && (next < markRST0 || next > markRST7) {
			return i
		}
		i++
	}
}

// complete reports whether there were all scans: one of each component, or those with all bits of
// all coefficients.
func (j *jpegFile) complete() bool {
	if !j.progressive {
		return j.scanned > 0 && j.scanned >= j.components
	}
	for _, bits := range j.refined {
		if slices.Contains(bits[:], false) {
			return false
		}
	}
	return len(j.refined) > 0 && len(j.refined) == j.components
}

// refine notes the coefficients that a scan of a progressive picture ends: those from Ss to Se, if
// its low bit is 0 (ITU-T T.81, G.1.1.1.1).
func (j *jpegFile) refine(scan []byte) {
	n := int(scan[0])
	if !j.progressive || len(scan) != 4+2*n {
		return
	}
	first, last, low := scan[1+2*n], scan[2+2*n], scan[3+2*n]&15
	if low != 0 || last > 63 {
		return
	}
	for i := range n {
		component := scan[1+2*i]
		if j.refined[component] == nil {
			if j.refined == nil {
				j.refined = map[byte]*[64]bool{}
			}
			j.refined[component] = new([64]bool)
		}
		for k := first; k <= last; k++ {
			j.refined[component][k] = true
		}
	}
}

// take reads the frame header.
func (j *jpegFile) take(marker byte, data []byte) error {
	switch {
	case marker == markSOS && (j.width == 0 || len(data) == 0):
		return errDamaged
	case marker == markSOS:
		j.scanned += int(data[0])
		j.refine(data)
		return nil
	case marker < markSOF0 || marker > markSOF15 || marker == markDHT || marker == markJPG || marker == markDAC:
		return nil
	case marker > markSOF2:
		return fmt.Errorf("%w: frame %#x", errVariant, marker)
	case j.width != 0 || len(data) < 6:
		return errDamaged
	case data[0] != 8:
		return fmt.Errorf("%w: %d bits", errVariant, data[0])
	}
	j.height, j.width = int(binary.BigEndian.Uint16(data[1:])), int(binary.BigEndian.Uint16(data[3:]))
	j.components, j.progressive = int(data[5]), marker == markSOF2
	switch {
	case len(data) != 6+3*j.components || j.width == 0:
		return errDamaged
	case j.height == 0:
		return fmt.Errorf("%w: the height follows the picture", errVariant)
	}
	most, all := 0, 0
	for i := range j.components {
		h, v := int(data[7+3*i]>>4), int(data[7+3*i]&15)
		if h < 1 || h > 4 || v < 1 || v > 4 {
			return errDamaged
		}
		most, all = max(most, h*v), all+h*v
	}
	if most == 0 {
		return errDamaged
	}
	j.blocks = float64(j.width) * float64(j.height) * max(float64(all)/float64(most), 1)
	return nil
}
