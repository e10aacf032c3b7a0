package pdfstamp

import (
	"errors"
	"fmt"

	"tcode/offline/pdfcrypt"
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
	streams  pdfcrypt.Method
	strings  pdfcrypt.Method
	filters  map[name]pdfcrypt.Method // crypt filters by name
	owner    bool                     // the empty password is the owner's: nothing is forbidden
	allowed  int                      // P, in the bits of table 22
}

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
	h := pdfcrypt.Dict{
		V: d.intOf(e.get("V")), R: d.intOf(e.get("R")),
		O: d.bytesOf(e.get("O")), U: d.bytesOf(e.get("U")),
		OE: d.bytesOf(e.get("OE")), UE: d.bytesOf(e.get("UE")),
		P: d.intOf(e.get("P")), Perms: d.bytesOf(e.get("Perms")),
		ClearMetadata: d.resolve(e.get("EncryptMetadata")) == raw("false"),
		Length:        d.intOf(e.get("Length")),
	}
	if len(d.ids) > 0 {
		h.ID = d.bytesOf(d.ids[0])
	}
	if !h.Known() {
		return nil, fmt.Errorf("%w: V %d, R %d", errHandler, h.V, h.R)
	}
	c := &encryption{revision: h.R, streams: pdfcrypt.RC4, strings: pdfcrypt.RC4}
	if h.V >= 4 {
		h.FilterLengths = d.cryptFilters(c, e)
	}
	if c.streams == pdfcrypt.Unsupported || c.strings == pdfcrypt.Unsupported {
		return nil, fmt.Errorf("%w: its crypt filter", errHandler)
	}
	if c.key, c.owner = h.Open(); c.key != nil {
		c.allowed = h.Permissions(c.key)
		return c, nil
	}
	if c.streams == pdfcrypt.Identity && c.strings == pdfcrypt.Identity {
		c.allowed = h.P // only attached files are encrypted, and the stamper reads none
		return c, nil
	}
	return nil, errPassword
}

// cryptFilters reads the filters of V 4 and 5 and returns the lengths that they
// say for their keys, in bits or bytes.
func (d *document) cryptFilters(c *encryption, e *dict) (lengths []int) {
	c.filters = map[name]pdfcrypt.Method{"Identity": pdfcrypt.Identity}
	if all, _ := d.resolve(e.get("CF")).(*dict); all != nil {
		for _, p := range all.pairs {
			f, _ := d.resolve(p.val).(*dict)
			lengths = append(lengths, d.intOf(f.get("Length")))
			kind, _ := d.resolve(f.get("CFM")).(name)
			c.filters[p.key] = pdfcrypt.MethodOf(string(kind))
		}
	}
	pick := func(k name) pdfcrypt.Method {
		n, ok := d.resolve(e.get(k)).(name)
		if !ok {
			return pdfcrypt.Identity
		}
		m, ok := c.filters[n]
		if !ok {
			return pdfcrypt.Unsupported
		}
		return m
	}
	c.streams, c.strings = pick("StmF"), pick("StrF")
	return lengths
}

// permitted returns errForbidden if the permissions forbid a stamp.
func (c *encryption) permitted() error {
	if c != nil && !c.owner && c.allowed&pdfcrypt.MayModify == 0 {
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
