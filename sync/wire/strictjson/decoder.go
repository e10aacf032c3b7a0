package strictjson

import (
	"encoding/base64"
	"io"
)

// alphabet is of Base64, with the padding.
var alphabet = func() (t [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") {
		t[b] = true
	}
	return t
}()

// plain returns the number of bytes at the start of b that are of the alphabet.
func plain(b []byte) int {
	for i, c := range b {
		if !alphabet[c] {
			return i
		}
	}
	return len(b)
}

// decodeAtOnce is the number of characters that one step decodes: quanta of four.
const decodeAtOnce = 32 << 10

// A decoder decodes Base64 as it comes, as strictly as
// base64.StdEncoding.Strict does a whole string.
type decoder struct {
	w       io.Writer
	waiting []byte // fewer than decodeAtOnce characters
	decoded []byte
	some    bool // anything was decoded
	padded  bool // nothing may follow

	// The outcome.
	bad, breaks, empty bool
}

// feed takes characters of the alphabet. The error is that of the writer.
func (d *decoder) feed(b []byte) error {
	for len(b) > 0 && !d.bad {
		if d.waiting == nil {
			d.waiting = make([]byte, 0, decodeAtOnce)
			d.decoded = make([]byte, decodeAtOnce/4*3)
		}
		n := min(len(b), decodeAtOnce-len(d.waiting))
		d.waiting, b = append(d.waiting, b[:n]...), b[n:]
		if len(d.waiting) == decodeAtOnce {
			if err := d.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *decoder) flush() error {
	n, err := base64.StdEncoding.Strict().Decode(d.decoded, d.waiting)
	if err != nil || d.padded {
		d.bad = true
		return nil
	}
	d.some = true
	d.padded = d.waiting[len(d.waiting)-1] == '='
	d.waiting = d.waiting[:0]
	_, err = d.w.Write(d.decoded[:n])
	return err
}

// end decodes the rest.
func (d *decoder) end() error {
	if d.bad {
		return nil
	}
	if len(d.waiting) > 0 {
		return d.flush()
	}
	d.empty = !d.some
	return nil
}
