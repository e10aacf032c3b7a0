package statuslist

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
)

// MaxDeflated is the longest transit form that [Inflate] looks at, in bytes.
// Deflate of 16,384 incompressible bytes adds 5 bytes a stored block, a
// header and a checksum; this leaves room for encoders that do worse.
const MaxDeflated = Size + 1024

var (
	// ErrSize says that a shard is not exactly [Size] bytes long once inflated,
	// or that its transit form is longer than [MaxDeflated].
	ErrSize = errors.New("wrong size of a status shard")
	// ErrDeflate says that the transit form is no single, whole zlib stream
	// (RFC 1950).
	ErrDeflate = errors.New("damaged zlib stream")
)

// Deflate returns the zlib form (RFC 1950) of s, for transit. The bytes may
// differ between releases of the compressor: hashes are over the inflated
// shard, never over this.
func (s *Shard) Deflate() []byte {
	var buf bytes.Buffer
	// A bytes.Buffer does not fail, and level 9 exists: neither can the writer.
	w, err := zlib.NewWriterLevel(&buf, zlib.BestCompression)
	if err == nil {
		_, err = w.Write(s[:])
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("statuslist: deflate to memory: " + err.Error())
	}
	return buf.Bytes()
}

// Inflate is the reverse of [Shard.Deflate]. It never holds more than one
// shard and one byte, whatever the stream claims, and refuses bytes after the
// stream's end. Errors wrap ErrSize or ErrDeflate.
func Inflate(deflated []byte) (*Shard, error) {
	if len(deflated) > MaxDeflated {
		return nil, fmt.Errorf("%w: %d bytes deflated", ErrSize, len(deflated))
	}
	// A bytes.Reader is an io.ByteReader, so flate takes no byte beyond the end
	// and what is left over can be counted.
	src := bytes.NewReader(deflated)
	r, err := zlib.NewReader(src)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDeflate, err)
	}
	var s Shard
	if n, err := io.ReadFull(r, s[:]); err != nil {
		if errors.Is(err, io.EOF) || (errors.Is(err, io.ErrUnexpectedEOF) && whole(r)) {
			return nil, fmt.Errorf("%w: %d bytes inflated", ErrSize, n)
		}
		return nil, fmt.Errorf("%w: %w", ErrDeflate, err)
	}
	// Reading on is what makes zlib compare its checksum.
	var more [1]byte
	switch n, err := io.ReadFull(r, more[:]); {
	case n > 0:
		return nil, fmt.Errorf("%w: more than %d bytes inflated", ErrSize, Size)
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%w: %w", ErrDeflate, err)
	}
	if src.Len() > 0 {
		return nil, fmt.Errorf("%w: %d bytes after its end", ErrDeflate, src.Len())
	}
	return &s, nil
}

// whole reports whether r is at the regular end of its stream, as opposed to
// cut short.
func whole(r io.Reader) bool {
	var b [1]byte
	_, err := r.Read(b[:])
	return errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
}

// Parse takes the 16,384 inflated bytes of a shard. The result does not alias
// raw. The error wraps ErrSize.
func Parse(raw []byte) (*Shard, error) {
	if len(raw) != Size {
		return nil, fmt.Errorf("%w: %d bytes", ErrSize, len(raw))
	}
	s := Shard(raw)
	return &s, nil
}
