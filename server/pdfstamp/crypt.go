package pdfstamp

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rc4"
	"crypto/sha256"
	"fmt"

	"tcode/offline/binding"
	"tcode/offline/pdfcrypt"
)

// cipherOf returns the cipher of method m for object o, in the words of a mark.
func (c *encryption) cipherOf(m pdfcrypt.Method, o ref) binding.Cipher {
	key := string(m.ObjectKey(c.key, o.num, o.gen))
	switch m {
	case pdfcrypt.RC4:
		return binding.Cipher{Method: binding.RC4, Key: key}
	case pdfcrypt.AES128, pdfcrypt.AES256:
		return binding.Cipher{Method: binding.AES, Key: key}
	}
	return binding.Cipher{}
}

// open returns data of object o decrypted by m. It aliases data where m leaves
// it as it is.
func (c *encryption) open(m pdfcrypt.Method, o ref, data []byte) ([]byte, error) {
	return m.Decrypt(m.ObjectKey(c.key, o.num, o.gen), data)
}

// streamCipher returns the cipher for the data of stream o.
func (c *encryption) streamCipher(o ref) binding.Cipher {
	if c == nil {
		return binding.Cipher{}
	}
	return c.cipherOf(c.streams, o)
}

// encrypt does k to data. The vector that AES needs is drawn from the key, the
// object and the data: one input gives one output, and two differ.
func encrypt(k binding.Cipher, o ref, data []byte) []byte {
	switch k.Method {
	case binding.RC4:
		c, err := rc4.NewCipher([]byte(k.Key))
		if err != nil {
			return nil
		}
		out := make([]byte, len(data))
		c.XORKeyStream(out, data)
		return out
	case binding.AES:
		block, err := aes.NewCipher([]byte(k.Key))
		if err != nil {
			return nil
		}
		pad := aes.BlockSize - len(data)%aes.BlockSize
		out := append(vector(k, o, data), data...)
		out = append(out, bytes.Repeat([]byte{byte(pad)}, pad)...)
		body := out[aes.BlockSize:]
		cipher.NewCBCEncrypter(block, out[:aes.BlockSize]).CryptBlocks(body, body)
		return out
	}
	return data
}

// vector returns 16 bytes that only the holder of the key could have drawn.
func vector(k binding.Cipher, o ref, data []byte) []byte {
	h := sha256.New()
	h.Write([]byte(k.Key))
	fmt.Fprintf(h, "%d %d", o.num, o.gen)
	h.Write(data)
	return h.Sum(nil)[:aes.BlockSize]
}

// openStream returns the data of s as its filters expect it.
func (d *document) openStream(s *stream) ([]byte, error) {
	c := d.crypt
	if c == nil || s.clear {
		return s.data, nil
	}
	m := c.streams
	for i, f := range d.list(s.dict.get("Filter")) {
		if d.resolve(f) != name("Crypt") {
			continue
		}
		m = pdfcrypt.Identity
		if parms := d.list(s.dict.get("DecodeParms")); i < len(parms) {
			p, _ := d.resolve(parms[i]).(*dict)
			if n, ok := d.resolve(p.get("Name")).(name); ok {
				if m, ok = c.filters[n]; !ok {
					m = pdfcrypt.Unsupported
				}
			}
		}
	}
	if m == pdfcrypt.Unsupported {
		return nil, errFilter
	}
	if err := take(&d.budget.inflated, len(s.data)); err != nil {
		return nil, err
	}
	return c.open(m, s.from, s.data)
}

// openStrings returns o with its strings decrypted, as cleartext. from is the
// object that holds them; nil where they were decrypted with the object stream
// around them.
func (d *document) openStrings(o any, from *ref) any {
	switch v := o.(type) {
	case raw:
		if !v.isString() {
			return v
		}
		b := []byte(stringBytes(string(v)))
		if from == nil {
			return cleartext(b)
		}
		open, err := d.crypt.open(d.crypt.strings, *from, b)
		if err != nil {
			return cleartext("") // no reader can decrypt it
		}
		return cleartext(open)
	case array:
		for i := range v {
			v[i] = d.openStrings(v[i], from)
		}
	case *dict:
		for i := range v.pairs {
			p := &v.pairs[i]
			p.val = d.openStrings(p.val, from)
		}
	}
	return o
}

// sealStrings returns a copy of o whose strings are encrypted for object to.
func (c *encryption) sealStrings(o any, to ref) any {
	if c == nil {
		return o
	}
	switch v := o.(type) {
	case raw:
		if v.isString() {
			return c.sealStrings(cleartext(stringBytes(string(v))), to)
		}
	case cleartext:
		return cleartext(encrypt(c.cipherOf(c.strings, to), to, []byte(v)))
	case array:
		out := make(array, len(v))
		for i := range v {
			out[i] = c.sealStrings(v[i], to)
		}
		return out
	case *dict:
		out := v.clone()
		for i := range out.pairs {
			p := &out.pairs[i]
			p.val = c.sealStrings(p.val, to)
		}
		return out
	}
	return o
}

// isString reports whether r is the token of a string.
func (r raw) isString() bool { return len(r) >= 2 && (r[0] == '(' || r[0] == '<') }
