package pdfstamp

import (
	"bytes"
	"errors"
)

// A frame encloses the contents of a page. It lists them as they are, by the same
// references in the same order; it copies nothing of them.
//
//	after     [q, contents ..., closing and stamp]   the stamp lies over the contents
//	beneath   [stamp, contents ...]                  they are drawn over it
//
// Viewers may draw a stream after damaged contents elsewhere or not at all, and a q
// before such contents may change their drawing. So the stamp is beneath the
// contents where the damage shows in them, or where the placement requests it: a
// stream before the contents is drawn in its place and leaves no state. Where the
// contents leave no room beneath, the placement may still request the stamp over them.
type frame struct {
	streams array // the original ones
	balance balance
	damaged bool
}

// frame returns the frame of the contents of p. Pages that share their contents
// share it.
func (r *revision) frame(p *page) (frame, error) {
	key := string(appendObject(nil, p.dict.get("Contents")))
	if f, ok := r.frames[key]; ok {
		return f, nil
	}
	refs, b, err := r.doc.contents(p)
	if err != nil {
		return frame{}, err
	}
	f := frame{refs, b, len(refs) > 0 && b.beneath()}
	r.frames[key] = f
	return f, nil
}

// contents returns the content streams of p as they are listed, and the operators
// that they leave open. The balance is unknown where viewers may see other contents
// than this package: a stream cannot be decoded, or its Length does not lead to its
// end.
func (d *document) contents(p *page) (refs array, b balance, err error) {
	refs, texts, unknown, err := d.texts(p)
	if err != nil {
		return nil, balance{}, err
	}
	if unknown {
		return refs, balance{unknown: true}, nil
	}
	return refs, measure(joined(texts)), nil
}

// joined returns contents as viewers read them: the streams in order, with white
// space between them.
func joined(texts [][]byte) []byte {
	if len(texts) == 1 {
		return texts[0]
	}
	return append(bytes.Join(texts, []byte("\n")), '\n')
}

// texts returns the content streams of p as they are listed, and their decoded
// contents; unknown means that viewers may see other contents.
func (d *document) texts(p *page) (refs array, texts [][]byte, unknown bool, err error) {
	var list array
	c := p.dict.get("Contents")
	switch v := d.resolve(c).(type) {
	case array:
		list = v
	case *stream:
		list = array{c}
	}
	if len(list) > maxNodes {
		return nil, nil, false, errTooComplex
	}
	total := 0
	for _, o := range list {
		r, isRef := o.(ref)
		s, isStream := d.resolve(o).(*stream)
		if !isRef || !isStream {
			continue // viewers draw nothing for it
		}
		refs = append(refs, r)
		d.damaged = false
		data, err := d.decode(s)
		if total += len(data); errors.Is(err, errTooComplex) || total > maxContents {
			return nil, nil, false, errTooComplex
		}
		unknown = unknown || err != nil || s.other || d.damaged
		texts = append(texts, data)
	}
	return refs, texts, unknown, nil
}

// enclose lists the contents of a page between a stream of q operators and last,
// a stream that draw writes, or behind last.
func (r *revision) enclose(f frame, beneath bool, last ref) array {
	switch {
	case len(f.streams) == 0:
		return array{last}
	case beneath:
		return append(array{last}, f.streams...)
	}
	return append(append(array{r.opening(1 + f.balance.strays)}, f.streams...), last)
}

// opening returns a stream of n q operators: one for each state that the contents
// pop without a push of their own, and one more. Pages share it.
func (r *revision) opening(n int) ref {
	if o, ok := r.openings[n]; ok {
		return o
	}
	o := r.alloc()
	r.openings[n] = o
	head, data := deflated(bytes.Repeat([]byte("q "), n))
	r.stream(o, head, data)
	return o
}
