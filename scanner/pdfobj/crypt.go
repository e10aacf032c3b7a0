package pdfobj

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// A crypt decrypts the streams and strings of a file that opens without a
// password (ISO 32000-2, 7.6).
type crypt struct {
	key    []byte
	method Name // of the crypt filter of streams: V2, AESV2, AESV3 or Identity
	texts  Name // of that of strings
}

// padding stands for the empty password.
var padding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

// encryption finds the encryption dictionary of file and opens it with the empty
// password; nil if there is none that it understands, or more than one.
func encryption(file []byte) *crypt {
	if !bytes.Contains(file, []byte("Encrypt")) {
		return nil
	}
	var wanted any // what Encrypt names
	var id []byte
	handlers, several := map[Ref]Dict{}, false
	look := func(o Object) {
		d := o.Dict()
		if d.Name("Filter") == "Standard" && o.Num >= 0 {
			before, ok := handlers[Ref(o.Num)]
			several = several || ok && !same(before, d)
			handlers[Ref(o.Num)] = d
		}
		if !d.Has("Encrypt") {
			return
		}
		several = several || wanted != nil && !same(wanted, d["Encrypt"])
		wanted = d["Encrypt"]
		if list, ok := d["ID"].(Array); ok && len(list) > 0 {
			s, _ := list[0].(String)
			several = several || id != nil && !bytes.Equal(id, s.Bytes())
			id = s.Bytes()
		}
	}
	left := maxLexed*len(file) + spare
	s := &scan{file: file, yield: look, lex: &left}
	s.all()
	d, _ := wanted.(Dict)
	if r, ok := wanted.(Ref); ok {
		d = handlers[r]
	}
	if several || s.found.Cut {
		return nil
	}
	return openStandard(d, id)
}

// openStandard opens the standard security handler.
func openStandard(d Dict, id []byte) *crypt {
	v, _ := d["V"].(int)
	c := &crypt{method: "V2", texts: "V2"}
	if v >= 4 {
		c.method, c.texts = cryptFilter(d, "StmF"), cryptFilter(d, "StrF")
	}
	switch v {
	case 1, 2, 4:
		if c.key = legacyKey(d, id, v); !opens(c.key, d, id) {
			return nil
		}
	case 5:
		c.key = key256(d)
	}
	if len(c.key) == 0 {
		return nil
	}
	return c
}

// cryptFilter returns the method of the crypt filter that key names.
func cryptFilter(d Dict, key Name) Name {
	filters, _ := d["CF"].(Dict)
	name := d.Name(key)
	if name == "Identity" || name == "" {
		return "Identity"
	}
	filter, _ := filters[name].(Dict)
	return filter.Name("CFM")
}

// legacyKey is algorithm 2.
func legacyKey(d Dict, id []byte, v int) []byte {
	o, _ := d["O"].(String)
	r, _ := d["R"].(int)
	p, isInt := d["P"].(int)
	owner := o.Bytes()
	if len(owner) < 32 || !isInt {
		return nil
	}
	n := 5
	if bits, ok := d["Length"].(int); ok && v > 1 && bits >= 40 && bits <= 128 {
		n = bits / 8
	} else if v == 4 {
		n = 16
	}
	h := md5.New()
	h.Write(padding)
	h.Write(owner[:32])
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(p)))
	h.Write(id)
	if r >= 4 && d["EncryptMetadata"] == false {
		h.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF})
	}
	key := h.Sum(nil)
	if r >= 3 {
		for range 50 {
			sum := md5.Sum(key[:n])
			key = sum[:]
		}
	}
	return key[:n]
}

// opens reports whether key is that of d, by algorithms 4 and 5.
func opens(key []byte, d Dict, id []byte) bool {
	u, _ := d["U"].(String)
	user, told := u.Bytes(), padding
	if r, _ := d["R"].(int); r >= 3 {
		sum := md5.Sum(append(bytes.Clone(padding), id...))
		told = sum[:]
		for i := range 20 {
			told = rc4With(key, byte(i), told)
		}
	} else {
		told = rc4With(key, 0, told)
	}
	return len(user) >= len(told) && bytes.Equal(user[:len(told)], told)
}

// rc4With is data encrypted with key, all bytes of which are combined with x.
func rc4With(key []byte, x byte, data []byte) []byte {
	k := bytes.Clone(key)
	for i := range k {
		k[i] ^= x
	}
	stream, err := rc4.NewCipher(k)
	if err != nil {
		return nil
	}
	out := make([]byte, len(data))
	stream.XORKeyStream(out, data)
	return out
}

// key256 is algorithm 2.A for the user's empty password.
func key256(d Dict) []byte {
	u, _ := d["U"].(String)
	ue, _ := d["UE"].(String)
	user, sealed := u.Bytes(), ue.Bytes()
	if len(user) < 48 || len(sealed) < 32 {
		return nil
	}
	hash := func(salt []byte) []byte {
		if d["R"] == 6 {
			return hardened(salt)
		}
		sum := sha256.Sum256(salt)
		return sum[:]
	}
	if !bytes.Equal(hash(user[32:40]), user[:32]) {
		return nil // there is a password
	}
	between := hash(user[40:48])
	block, err := aes.NewCipher(between)
	if err != nil {
		return nil
	}
	key := make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(key, sealed[:32])
	return key
}

// hardened is algorithm 2.B for an empty password.
func hardened(salt []byte) []byte {
	sum := sha256.Sum256(salt)
	k := sum[:]
	for i := 0; ; i++ {
		e := bytes.Repeat(k, 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, e)
		rest := 0
		for _, b := range e[:16] {
			rest += int(b)
		}
		switch rest % 3 {
		case 0:
			s := sha256.Sum256(e)
			k = s[:]
		case 1:
			s := sha512.Sum384(e)
			k = s[:]
		case 2:
			s := sha512.Sum512(e)
			k = s[:]
		}
		if i >= 63 && int(e[len(e)-1]) <= i-31 { // the round's number, from 1, less 32
			return k[:32]
		}
	}
}

// decrypt returns the data of a stream of object num, generation 0.
func (c *crypt) decrypt(num int, data []byte) []byte {
	key := c.key
	if c.method == "V2" || c.method == "AESV2" {
		h := md5.New()
		h.Write(key)
		h.Write([]byte{byte(num), byte(num >> 8), byte(num >> 16), 0, 0})
		if c.method == "AESV2" {
			h.Write([]byte("sAlT"))
		}
		key = h.Sum(nil)[:min(len(c.key)+5, 16)]
	}
	switch c.method {
	case "V2":
		stream, err := rc4.NewCipher(key)
		if err != nil {
			return nil
		}
		out := make([]byte, len(data))
		stream.XORKeyStream(out, data)
		return out
	case "AESV2", "AESV3":
		block, err := aes.NewCipher(key)
		n := len(data) / aes.BlockSize * aes.BlockSize
		if err != nil || n < 2*aes.BlockSize {
			return nil
		}
		out := make([]byte, n-aes.BlockSize)
		cipher.NewCBCDecrypter(block, data[:aes.BlockSize]).CryptBlocks(out, data[aes.BlockSize:n])
		return out // its padding stands behind what inflates
	case "Identity":
		return data
	}
	return nil
}
