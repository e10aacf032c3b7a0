package raster

import (
	"encoding/binary"
	"slices"
)

// firstFrame returns the first frame of an animated WebP file as a file of its own (RFC 9649, 2.7.1.1), or file if it is
// not animated. The frame may be smaller than the animation.
func firstFrame(file []byte) []byte {
	const animated, transparent, header = 2, 16, 16
	if len(file) < 30 || string(file[12:16]) != "VP8X" || file[20]&animated == 0 {
		return file
	}
	frame := chunkOf(file[12:], "ANMF")
	if len(frame) < header {
		return file
	}
	parts := frame[header:]
	if lossless := chunkOf(parts, "VP8L"); lossless != nil {
		return riff(chunk("VP8L", lossless))
	}
	extended := append([]byte{0, 0, 0, 0}, frame[6:12]...) // its size
	alpha := chunkOf(parts, "ALPH")
	if alpha == nil {
		return riff(chunk("VP8 ", chunkOf(parts, "VP8 ")))
	}
	extended[0] = transparent
	return riff(chunk("VP8X", extended), chunk("ALPH", alpha), chunk("VP8 ", chunkOf(parts, "VP8 ")))
}

// chunkOf returns the data of the first chunk with a name in b, nil if there is none.
func chunkOf(b []byte, name string) []byte {
	for len(b) >= 8 {
		n := int64(binary.LittleEndian.Uint32(b[4:]))
		if n > int64(len(b)-8) {
			return nil
		}
		if string(b[:4]) == name {
			return b[8 : 8+n]
		}
		b = b[min(8+n+n&1, int64(len(b))):]
	}
	return nil
}

// chunk returns a chunk of RIFF.
func chunk(name string, data []byte) []byte {
	out := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(data)))
	out = append(out, data...)
	return append(out, make([]byte, len(data)%2)...)
}

// riff returns a WebP file of chunks.
func riff(chunks ...[]byte) []byte {
	return chunk("RIFF", append([]byte("WEBP"), slices.Concat(chunks...)...))
}
