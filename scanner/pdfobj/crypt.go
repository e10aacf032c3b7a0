package pdfobj

import (
	"bytes"
	"encoding/hex"
	"maps"
	"slices"

	"tcode/offline/pdfcrypt"
)

// A crypt decrypts the streams and strings of a file that opens without a
// password (ISO 32000-2, 7.6).
type crypt struct {
	key     []byte
	streams pdfcrypt.Method
	strings pdfcrypt.Method
}

// encryption finds the encryption dictionary of file and opens it with the empty password.
// It returns nil if there is none that it understands, or more than one.
func encryption(file []byte) *crypt {
	if !bytes.Contains(file, []byte("Encrypt")) {
		return nil
	}
	var wanted any // value of Encrypt
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

// openStandard opens the standard security handler. It returns nil if the empty password
// does not open it.
func openStandard(d Dict, id []byte) *crypt {
	text := func(key Name) []byte {
		s, _ := d[key].(String)
		return s.Bytes()
	}
	number := func(key Name) int {
		n, _ := d[key].(int)
		return n
	}
	h := pdfcrypt.Dict{
		V: number("V"), R: number("R"), O: text("O"), U: text("U"), OE: text("OE"), UE: text("UE"),
		P: number("P"), Perms: text("Perms"), ID: id,
		ClearMetadata: d["EncryptMetadata"] == false, Length: number("Length"),
	}
	c := &crypt{streams: pdfcrypt.RC4, strings: pdfcrypt.RC4}
	if h.V >= 4 {
		c.streams, c.strings = cryptFilter(d, "StmF"), cryptFilter(d, "StrF")
		h.FilterLengths = filterLengths(d)
	}
	if c.streams == pdfcrypt.Unsupported || c.strings == pdfcrypt.Unsupported {
		return nil
	}
	if c.key, _ = h.Open(); c.key == nil {
		return nil
	}
	return c
}

// cryptFilter returns the method of the crypt filter that key names.
func cryptFilter(d Dict, key Name) pdfcrypt.Method {
	filters, _ := d["CF"].(Dict)
	name := d.Name(key)
	if name == "Identity" || name == "" {
		return pdfcrypt.Identity
	}
	filter, _ := filters[name].(Dict)
	return pdfcrypt.MethodOf(string(filter.Name("CFM")))
}

// filterLengths returns the key lengths that the crypt filters of d
// declare.
func filterLengths(d Dict) (lengths []int) {
	filters, _ := d["CF"].(Dict)
	for _, key := range slices.Sorted(maps.Keys(filters)) {
		filter, _ := filters[key].(Dict)
		if n, ok := filter["Length"].(int); ok {
			lengths = append(lengths, n)
		}
	}
	return lengths
}

// stream returns the decrypted data of a stream of object num, generation 0, or nil if
// they cannot be decrypted.
func (c *crypt) stream(num int, data []byte) []byte { return c.opened(c.streams, num, data) }

// text returns a decrypted string of object num, or nil if it cannot be decrypted.
func (c *crypt) text(num int, data []byte) []byte { return c.opened(c.strings, num, data) }

func (c *crypt) opened(m pdfcrypt.Method, num int, data []byte) []byte {
	out, err := m.Decrypt(m.ObjectKey(c.key, num, 0), data)
	if err != nil {
		return nil
	}
	return out
}

// decoded returns v, of object num, with its strings decrypted.
func (c *crypt) decoded(num int, v any) any {
	switch v := v.(type) {
	case String:
		return String("<" + hex.EncodeToString(c.text(num, v.Bytes())) + ">")
	case Array:
		out := make(Array, len(v))
		for i, e := range v {
			out[i] = c.decoded(num, e)
		}
		return out
	case Dict:
		out := make(Dict, len(v))
		for k, e := range v {
			out[k] = c.decoded(num, e)
		}
		return out
	}
	return v
}
