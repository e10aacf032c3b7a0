package pdfstamp

import (
	"errors"
	"fmt"
)

// Reasons why an encrypted file is not stamped.
var (
	errPassword  = errors.New("a password is needed to open the file")
	errHandler   = errors.New("the file is encrypted by a handler that is not known")
	errForbidden = errors.New("the file's permissions forbid changes")
)

// An encryption is the standard security handler of one document, opened with
// the empty password (ISO 32000-2, 7.6; ISO 32000-1 and Adobe's supplement to it
// for R 5). A nil encryption leaves everything as it is.
type encryption struct {
	revision int
	key      []byte // of the file
	streams  method
	strings  method
	filters  map[name]method // crypt filters by name
	owner    bool            // the empty password is the owner's: nothing is forbidden
	allowed  int             // P, in the bits of table 22
}

// A method is what a crypt filter does.
type method uint8

const (
	identity method = iota
	rc4Method
	aesMethod   // AESV2: the key of each object is derived
	aes256      // AESV3: the file's key
	unsupported // a filter nobody defined
)

// mayModify is the permission to change what pages show (table 22, bit 4).
const mayModify = 1 << 3

// openEncryption sets d.crypt from the trailer. Objects read before it were not
// decrypted, and are dropped.
func (d *document) openEncryption() error {
	if d.trailer.get("Encrypt") == nil {
		return nil
	}
	e, ok := d.resolve(d.trailer.get("Encrypt")).(*dict)
	if !ok {
		return nil // null, as every reader takes it
	}
	if filter, _ := d.resolve(e.get("Filter")).(name); filter != "Standard" {
		return fmt.Errorf("%w: %q", errHandler, filter)
	}
	c, err := d.standardHandler(e)
	if err != nil {
		return err
	}
	d.crypt = c
	if r, ok := d.trailer.get("Encrypt").(ref); ok {
		d.plainNum = r.num
	}
	d.dropObjects()
	return nil
}

// standardHandler reads the encryption dictionary and finds the file's key.
func (d *document) standardHandler(e *dict) (*encryption, error) {
	h := handlerDict{
		version: d.intOf(e.get("V")), revision: d.intOf(e.get("R")),
		owner: d.bytesOf(e.get("O")), user: d.bytesOf(e.get("U")),
		ownerKey: d.bytesOf(e.get("OE")), userKey: d.bytesOf(e.get("UE")),
		allowed: d.intOf(e.get("P")), perms: d.bytesOf(e.get("Perms")),
	}
	h.clearMetadata = d.resolve(e.get("EncryptMetadata")) == raw("false")
	if len(d.ids) > 0 {
		h.id = d.bytesOf(d.ids[0])
	}
	c := &encryption{revision: h.revision, streams: rc4Method, strings: rc4Method}
	lengths := []int{d.intOf(e.get("Length")) / 8, 5, 16}
	switch {
	case h.version == 1 || h.version == 2:
	case h.version == 4 || h.version == 5:
		lengths = append(lengths[:1:1], d.cryptFilters(c, e)...)
	default:
		return nil, fmt.Errorf("%w: V %d", errHandler, h.version)
	}
	if h.revision < 2 || h.revision > 6 || (h.version == 5) != (h.revision >= 5) {
		return nil, fmt.Errorf("%w: V %d, R %d", errHandler, h.version, h.revision)
	}
	if c.streams == unsupported || c.strings == unsupported {
		return nil, fmt.Errorf("%w: its crypt filter", errHandler)
	}
	if h.revision == 2 {
		lengths = []int{5}
	}
	// Writers disagree on where the length of the key stands and in what unit,
	// so each is tried: only the right one opens the file.
	for _, n := range lengths {
		if c.key, c.owner = h.open(n); c.key != nil {
			c.allowed = h.permissions(c.key)
			return c, nil
		}
	}
	if c.streams == identity && c.strings == identity {
		c.allowed = h.allowed // only attached files are encrypted, and nobody asks for those
		return c, nil
	}
	return nil, errPassword
}

// cryptFilters reads the filters of V 4 and 5 and returns the lengths of key, in
// bytes, that they may mean.
func (d *document) cryptFilters(c *encryption, e *dict) (lengths []int) {
	c.filters = map[name]method{"Identity": identity}
	all, _ := d.resolve(e.get("CF")).(*dict)
	if all != nil {
		for _, p := range all.pairs {
			k := p.key
			f, _ := d.resolve(p.val).(*dict)
			n := d.intOf(f.get("Length"))
			lengths = append(lengths, n, n/8)
			switch kind, _ := d.resolve(f.get("CFM")).(name); kind {
			case "V2":
				c.filters[k] = rc4Method
			case "AESV2":
				c.filters[k] = aesMethod
			case "AESV3":
				c.filters[k] = aes256
			case "None":
				c.filters[k] = identity
			default:
				c.filters[k] = unsupported
			}
		}
	}
	pick := func(k name) method {
		n, ok := d.resolve(e.get(k)).(name)
		if !ok {
			return identity
		}
		m, ok := c.filters[n]
		if !ok {
			return unsupported
		}
		return m
	}
	c.streams, c.strings = pick("StmF"), pick("StrF")
	return append(lengths, 16, 5)
}

// permitted returns errForbidden if the permissions forbid a stamp.
func (c *encryption) permitted() error {
	if c != nil && !c.owner && c.allowed&mayModify == 0 {
		return errForbidden
	}
	return nil
}

// intOf returns an integer object, or 0.
func (d *document) intOf(o any) int {
	n, _ := integer(d.resolve(o))
	return n
}

// bytesOf returns the bytes of a string object, or nil.
func (d *document) bytesOf(o any) []byte {
	switch s := d.resolve(o).(type) {
	case raw:
		return []byte(stringBytes(string(s)))
	case cleartext:
		return []byte(s)
	}
	return nil
}
