package pdfstamp

import (
	"bytes"
	"errors"
)

// A frame is how the contents of a page are enclosed. They are listed as they
// are, by the same references in the same order; nothing of them is copied.
//
//	after     [q, contents ..., closing and stamp]   the stamp lies over the contents
//	beneath   [stamp, contents ...]                  they are drawn over it
//
// What follows damaged contents may be drawn elsewhere or not at all, and a q
// before them may change what they draw. So the stamp lies beneath where that
// shows in the contents, or where the placement asks for it: what precedes them is
// drawn where it should be, and leaves no state behind. Where they leave no room
// for it, the placement may ask for the stamp over them all the same.
type frame struct {
	streams array // the original ones
	balance balance
	damaged bool
}

// frame returns how to enclose the contents of p. Pages that share their contents
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

// contents returns the content streams of p as they are listed, and what they
// leave open. The balance is unknown where viewers may see other contents than
// we do: a stream that cannot be decoded, or whose Length leads elsewhere than to
// its end.
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

// joined is contents as viewers read them: streams follow each other with white
// space between.
func joined(texts [][]byte) []byte {
	if len(texts) == 1 {
		return texts[0]
	}
	return append(bytes.Join(texts, []byte("\n")), '\n')
}

// texts returns the content streams of p as they are listed, and what they hold;
// unknown means that it may be something else.
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

// opening returns a stream of n q operators: as many as the contents take off the
// stack without having put them there, and one. Pages share it.
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
