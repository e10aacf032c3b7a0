package pdfstamp

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"

	"tcode/offline/binding"
	"tcode/offline/payload"
)

// A revision collects the objects that are appended to a document. Offsets in
// it count from the start of the file.
type revision struct {
	doc     *document
	out     []byte // all after the original bytes
	entries map[int]entry
	next    int // next free object number

	frames   map[string]frame // by the page's Contents entry
	openings map[int]ref      // streams of n q operators
}

func newRevision(d *document) *revision {
	r := &revision{doc: d, entries: map[int]entry{}, next: max(d.size, d.budget.highest+1), frames: map[string]frame{}, openings: map[int]ref{}}
	if n := len(d.b); n > 0 && d.b[n-1] != '\n' && d.b[n-1] != '\r' {
		r.out = append(r.out, '\n') // an object must begin a line
	}
	return r
}

func (r *revision) alloc() ref {
	r.next++
	return ref{r.next - 1, 0}
}

// begin starts object o at the end of the written bytes.
func (r *revision) begin(o ref) {
	r.entries[o.num] = entry{inFile, len(r.doc.b) + len(r.out) - r.doc.base, o.gen}
	r.out = fmt.Appendf(r.out, "%d %d obj\n", o.num, o.gen)
}

// object writes a whole object that is no stream. In an encrypted file its
// strings, which may be tokens or cleartext, are encrypted for it.
func (r *revision) object(o ref, v any) {
	r.begin(o)
	r.out = append(appendObject(r.out, r.doc.crypt.sealStrings(v, o)), "\nendobj\n"...)
}

// stream writes a stream, encrypted where the file is. It sets the Length of
// head.
func (r *revision) stream(o ref, head *dict, data []byte) {
	data = encrypt(r.doc.crypt.streamCipher(o), o, data)
	head, _ = r.doc.crypt.sealStrings(head, o).(*dict)
	r.plainStream(o, head, data)
}

// plainStream writes a stream as it is.
func (r *revision) plainStream(o ref, head *dict, data []byte) {
	r.begin(o)
	head.set("Length", len(data))
	r.out = append(appendObject(r.out, head), "\nstream\n"...)
	r.out = append(r.out, data...)
	r.out = append(r.out, "\nendstream\nendobj\n"...)
}

// A hole is the place of the symbol in the file, and the text of the mark on it.
type hole struct {
	start  int // of the symbol's stream in the revision
	length int
	mark   int // of the mark in the revision
	cipher binding.Cipher
}

// beforeHole lies between the mark, which ends the image's dictionary, and the
// hole.
const beforeHole = ">>\nstream\n"

// symbol writes the image that will hold a symbol of side modules, unpainted.
// Its dictionary holds the mark; seal fills in the mark's numbers when the end of the
// revision is known.
func (r *revision) symbol(o ref, ref payload.Reference, side int) hole {
	h := hole{cipher: r.doc.crypt.streamCipher(o)}
	h.length = h.cipher.HoleLen(side)
	var iv []byte
	if h.cipher.Method == binding.AES {
		iv = vector(h.cipher, o, ref[:])
	}
	px := side * binding.PxPerModule
	r.begin(o)
	r.out = fmt.Appendf(r.out, "<</Type/XObject/Subtype/Image/Width %d/Height %d/ImageMask true/BitsPerComponent 1/Length %d\n", px, px, len(iv)+h.length)
	h.mark = len(r.out)
	r.out = binding.Mark{Reference: ref, Cipher: h.cipher}.Append(r.out)
	r.out = append(append(r.out, beforeHole...), iv...)
	h.start = len(r.out)
	r.out = append(r.out, bytes.Repeat([]byte{0xFF}, h.length)...)
	r.out = append(r.out, "\nendstream\nendobj\n"...)
	return h
}

// seal writes the final numbers into the mark.
func (r *revision) seal(h hole, ref payload.Reference) binding.Mark {
	m := binding.Mark{
		Reference: ref,
		Start:     int64(len(r.doc.b) + h.start),
		Length:    int64(h.length),
		End:       int64(len(r.doc.b) + len(r.out)),
		Cipher:    h.cipher,
	}
	copy(r.out[h.mark:], m.Append(nil))
	return m
}

// finish writes the cross-reference section, of the kind that the file ends
// with (a table must stay a table for PDF/A-1), and the trailer.
func (r *revision) finish(ref payload.Reference) {
	t := newDict()
	for _, k := range []name{"Root", "Info", "Encrypt"} {
		if v := r.doc.trailer.get(k); v != nil {
			t.set(k, v)
		}
	}
	if ids := r.doc.ids; len(ids) > 0 { // the first is a part of an encrypted file's key
		t.set("ID", array{r.doc.resolve(ids[0]), r.fileID(ref)})
	}
	if r.doc.lies {
		r.stayDamaged(t)
		return
	}
	if r.doc.rebuilt || r.doc.recounted {
		r.takeAll()
	} else {
		t.set("Prev", r.doc.startXref)
	}
	at := len(r.doc.b) + len(r.out) - r.doc.base
	if r.doc.isStream {
		r.xrefStream(t)
	} else {
		r.xrefTable(t)
	}
	r.out = fmt.Appendf(r.out, "startxref\n%d\n%%%%EOF\n", at)
}

// stayDamaged ends the revision of a file that viewers repair, and whose streams
// have lengths that only the repair makes right: poppler and MuPDF believe a wrong
// Length in a file whose cross-reference is sound, and draw the bytes after the
// stream. So the revision has no section, and the file ends as before: viewers still
// repair it, and take the last page object with that number.
func (r *revision) stayDamaged(trailer *dict) {
	trailer.set("Size", r.next)
	r.out = append(appendObject(append(r.out, "trailer\n"...), trailer), '\n')
	at := 0
	if i := bytes.LastIndex(r.doc.b, []byte("startxref")); i >= 0 {
		l := r.doc.at(i + len("startxref"))
		at, _ = l.natural()
	}
	r.out = fmt.Appendf(r.out, "startxref\n%d\n%%%%EOF\n", at)
}

// takeAll makes the section complete, for a file whose own ones are damaged.
func (r *revision) takeAll() {
	r.entries[0] = entry{free, 0, 65535}
	for n, e := range r.doc.entries {
		if _, ours := r.entries[n]; !ours {
			r.entries[n] = e
		}
	}
}

// fileID returns the second file identifier, which must change with each
// revision (ISO 32000-1, 14.4). It is derived from the input, so that the same input
// gives the same output.
func (r *revision) fileID(ref payload.Reference) raw {
	h := sha256.New()
	h.Write(ref[:]) // drawn for this stamp, so the file's own bytes add nothing
	fmt.Fprint(h, len(r.doc.b))
	h.Write(r.out)
	return raw(fmt.Sprintf("<%X>", h.Sum(nil)[:16]))
}

func (r *revision) xrefTable(trailer *dict) {
	trailer.set("Size", r.next)
	r.out = append(r.out, "xref\n"...)
	r.subsections(func(first int, run []entry) {
		r.out = fmt.Appendf(r.out, "%d %d\n", first, len(run))
		for _, e := range run {
			kind := 'n'
			if e.kind == free {
				kind = 'f'
			}
			r.out = fmt.Appendf(r.out, "%010d %05d %c \n", e.at, e.gen, kind)
		}
	})
	r.out = append(appendObject(append(r.out, "trailer\n"...), trailer), '\n')
}

func (r *revision) xrefStream(trailer *dict) {
	self := r.alloc()
	r.entries[self.num] = entry{inFile, len(r.doc.b) + len(r.out) - r.doc.base, 0}
	var rows []byte
	var index array
	r.subsections(func(first int, run []entry) {
		index = append(index, first, len(run))
		for _, e := range run {
			rows = append(rows, byte(e.kind))
			rows = binary.BigEndian.AppendUint32(rows, uint32(e.at))
			rows = binary.BigEndian.AppendUint16(rows, uint16(e.gen))
		}
	})
	trailer.set("Type", name("XRef"))
	trailer.set("Size", r.next)
	trailer.set("W", array{1, 4, 2})
	trailer.set("Index", index)
	r.plainStream(self, trailer, rows) // never encrypted (ISO 32000-1, 7.5.8.2)
}

// subsections hands yield the entries in runs of consecutive numbers.
func (r *revision) subsections(yield func(first int, run []entry)) {
	numbers := slices.Sorted(maps.Keys(r.entries))
	for i := 0; i < len(numbers); {
		first := numbers[i]
		var run []entry
		for ; i < len(numbers) && numbers[i] == first+len(run); i++ {
			run = append(run, r.entries[numbers[i]])
		}
		yield(first, run)
	}
}

// idle keeps a deflater with its tables: making them costs more than a whole
// stamp. A child stamps one file at a time, and a [sync.Pool] would lose it at
// every other collection.
var idle = make(chan *zlib.Writer, 1)

func deflater(w io.Writer) *zlib.Writer {
	select {
	case z := <-idle:
		z.Reset(w)
		return z
	default:
	}
	z, err := zlib.NewWriterLevel(w, zlib.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	return z
}

func giveBack(z *zlib.Writer) {
	select {
	case idle <- z:
	default:
	}
}

// deflated returns head and data with FlateDecode, or both as they are where
// that saves nothing.
func deflated(data []byte) (*dict, []byte) {
	head := newDict()
	const entry = len("/Filter /FlateDecode\n")
	if len(data) <= entry+8 { // no zlib stream is shorter than 8 bytes
		return head, data
	}
	var buf bytes.Buffer
	z := deflater(&buf)
	defer giveBack(z)
	_, err := z.Write(data)
	if err == nil {
		err = z.Close()
	}
	if err != nil || buf.Len()+entry >= len(data) {
		return head, data
	}
	head.set("Filter", name("FlateDecode"))
	return head, buf.Bytes()
}
