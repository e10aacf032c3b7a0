package statuslist

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"sync"
)

// MaxDeflated is the longest transit form of a shard that [Inflate] accepts, in
// bytes. Deflating 16,386 incompressible bytes adds 5 bytes a stored block, a
// header and a checksum; this leaves room for worse encoders.
const MaxDeflated = Size + 1024

var (
	// ErrSize says that a shard does not have exactly [Size] bytes, or that a
	// transit form is longer than its bound.
	ErrSize = errors.New("wrong size of a status shard")
	// ErrDeflate says that the transit form is not one complete zlib stream
	// (RFC 1950).
	ErrDeflate = errors.New("damaged zlib stream")
)

// Deflate returns the transit form of s: its compact form as a zlib stream (RFC
// 1950). The bytes may differ between releases of the compressor, so hashes
// cover the 16,384 bytes of the shard, never these.
func (s *Shard) Deflate() []byte { return DeflateAll([]*Shard{s}) }

// DeflateAll returns the transit form of several shards: their compact forms
// one after the other, as one zlib stream.
func DeflateAll(shards []*Shard) []byte {
	var compact []byte
	for _, s := range shards {
		compact = s.appendCompact(compact)
	}
	var buf bytes.Buffer
	w := writers.Get().(*zlib.Writer)
	defer writers.Put(w)
	w.Reset(&buf)
	_, err := w.Write(compact)
	if err := errors.Join(err, w.Close()); err != nil { // a bytes.Buffer never returns an error
		panic("statuslist: deflate to memory: " + err.Error())
	}
	return buf.Bytes()
}

// writers keeps compressors for reuse, because each takes 800 KB.
var writers = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// Inflate is the inverse of [Shard.Deflate]. It never holds more than one shard
// and one byte, whatever length the stream claims, and refuses bytes after the
// stream's end. Errors wrap ErrSize, ErrDeflate or ErrCompact.
func Inflate(deflated []byte) (*Shard, error) {
	all, err := InflateAll(deflated, 1)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// InflateAll is the inverse of [DeflateAll], for 1 to limit shards and at most
// limit*[MaxDeflated] bytes of transit form. Errors wrap ErrSize, ErrDeflate or
// ErrCompact.
func InflateAll(deflated []byte, limit int) ([]*Shard, error) {
	if len(deflated) > limit*MaxDeflated {
		return nil, fmt.Errorf("%w: %d bytes deflated", ErrSize, len(deflated))
	}
	compact, err := inflate(deflated, limit*maxCompact)
	if err != nil {
		return nil, err
	}
	var all []*Shard
	for len(all) == 0 || len(compact) > 0 {
		if len(all) == limit {
			return nil, fmt.Errorf("%w: more than %d shards", ErrCompact, limit)
		}
		var s *Shard
		if s, compact, err = readCompact(compact); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// inflate reads one whole stream of at most limit bytes.
func inflate(deflated []byte, limit int) ([]byte, error) {
	// A bytes.Reader is an io.ByteReader, so flate reads no byte beyond the
	// end, and the rest can be counted.
	src := bytes.NewReader(deflated)
	r, err := zlib.NewReader(src)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDeflate, err)
	}
	inflated, err := io.ReadAll(io.LimitReader(r, int64(limit)+1)) // to the end, where zlib checks its checksum
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrDeflate, err)
	case len(inflated) > limit:
		return nil, fmt.Errorf("%w: more than %d bytes inflated", ErrSize, limit)
	case src.Len() > 0:
		return nil, fmt.Errorf("%w: %d bytes after its end", ErrDeflate, src.Len())
	}
	return inflated, nil
}

// Parse reads the 16,384 bytes of a shard. The result does not alias raw. The
// error wraps ErrSize.
func Parse(raw []byte) (*Shard, error) {
	if len(raw) != Size {
		return nil, fmt.Errorf("%w: %d bytes", ErrSize, len(raw))
	}
	s := Shard(raw)
	return &s, nil
}
