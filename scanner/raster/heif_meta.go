package raster

import (
	"bytes"
	"fmt"
	"slices"
)

// still describes the main image of a HEIC or AVIF file (ISO/IEC 23008-12), from the boxes before the coded data. Nothing
// is decoded for it.
type still struct {
	coding        string // type of the item that holds coded pixels: hvc1, av01; of a grid, that of its first tile
	width, height int    // px, as coded or as composed of tiles, before the changes
	work          int64  // px of all tiles together, 0: it has none
	changes       []change
	alpha         uint32 // the item with the transparency, 0: none
	premultiplied bool   // the colours are multiplied by it
	// The file has the number of the main item from number to numberEnd.
	number, numberEnd int
}

// change is a property that changes the coded image for display.
type change struct {
	kind string // irot, imir, clap
	data []byte
}

// items are the parts of a meta box.
type items struct {
	primary    uint32
	number     []byte               // where the file has it
	kinds      map[uint32]string    // type of each item
	refs       map[string][]itemRef // by type of reference
	properties []mediaBox
	of         map[uint32][]int // indices in properties of each item, in order
}

type itemRef struct {
	from uint32
	to   []uint32
}

// Errors of HEIC and AVIF files.
var (
	errNoStill  = &Error{Err: ErrUnsupported, Detail: "a video or a sequence without a still image"}
	errBadBoxes = &Error{Err: ErrDamaged, Detail: "its boxes do not fit into each other"}
)

// maxTiles bounds the references of a grid: a photo of 200 million pixels has 800 tiles.
const maxTiles = 4096

// readStill reads the description of the main image, which aliases file, and checks all sizes in it against the limits.
func readStill(file []byte, l Limits) (still, error) {
	var meta []byte
	sound := boxes(file, func(b mediaBox) bool {
		if b.kind == "meta" {
			meta = b.data
		}
		return b.kind != "meta"
	})
	switch {
	case meta == nil && !sound:
		return still{}, errBadBoxes
	case meta == nil:
		return still{}, errNoStill
	}
	all, err := readItems(meta)
	if err != nil {
		return still{}, err
	}
	s, err := all.still(l)
	s.number = cap(file) - cap(all.number) // a part of file
	s.numberEnd = s.number + len(all.number)
	return s, err
}

// readItems reads a meta box.
func readItems(meta []byte) (items, error) {
	all := items{kinds: map[uint32]string{}, refs: map[string][]itemRef{}, of: map[uint32][]int{}}
	_, _, data, ok := mediaBox{data: meta}.full()
	sound := true
	ok = ok && boxes(data, func(b mediaBox) bool {
		switch b.kind {
		case "pitm":
			sound = all.readPrimary(b)
		case "iinf":
			sound = all.readKinds(b)
		case "iref":
			sound = all.readRefs(b)
		case "iprp":
			sound = all.readProperties(b)
		}
		return sound
	})
	if !ok || !sound {
		return items{}, errBadBoxes
	}
	return all, nil
}

// wide returns the bytes of an item's number in a box whose version gives it.
func wide(big bool) int {
	if big {
		return 4
	}
	return 2
}

func (i *items) readPrimary(b mediaBox) bool {
	version, _, data, ok := b.full()
	c := cursor{data: data}
	i.number = c.data[:min(len(c.data), wide(version > 0))]
	i.primary = c.number(wide(version > 0))
	return ok && !c.bad
}

func (i *items) readKinds(b mediaBox) bool {
	version, _, data, ok := b.full()
	c := cursor{data: data}
	c.number(wide(version > 0)) // the number of entries; those that are there count
	return ok && !c.bad && boxes(c.data, func(b mediaBox) bool {
		version, _, data, ok := b.full()
		if b.kind == "infe" && ok && version >= 2 {
			c := cursor{data: data}
			id := c.number(wide(version > 2))
			c.number(2) // protection
			if kind := c.word(4); !c.bad {
				i.kinds[id] = kind
			}
		}
		return true
	})
}

func (i *items) readRefs(b mediaBox) bool {
	version, _, data, ok := b.full()
	return ok && boxes(data, func(b mediaBox) bool {
		c := cursor{data: b.data}
		r := itemRef{from: c.number(wide(version > 0))}
		for range c.number(2) {
			if to := c.number(wide(version > 0)); !c.bad {
				r.to = append(r.to, to)
			}
		}
		i.refs[b.kind] = append(i.refs[b.kind], r)
		return true
	})
}

func (i *items) readProperties(b mediaBox) bool {
	sound := true
	ok := boxes(b.data, func(b mediaBox) bool {
		switch b.kind {
		case "ipco":
			sound = boxes(b.data, func(b mediaBox) bool {
				i.properties = append(i.properties, b)
				return true
			})
		case "ipma":
			sound = i.readUses(b)
		}
		return sound
	})
	return ok && sound
}

// readUses reads which items have which properties.
func (i *items) readUses(b mediaBox) bool {
	version, flags, data, ok := b.full()
	if !ok {
		return false
	}
	c := cursor{data: data}
	index := 1
	if flags&1 != 0 {
		index = 2
	}
	for n := c.number(4); n > 0 && !c.bad; n-- {
		id := c.number(wide(version > 0))
		for uses := c.number(1); uses > 0 && !c.bad; uses-- {
			use := int(c.number(index)) & (1<<(8*index-1) - 1) // without the bit "essential"
			if use > 0 {
				i.of[id] = append(i.of[id], use-1)
			}
		}
	}
	return !c.bad
}

// size returns the size that item id claims, px.
func (i *items) size(id uint32) (w, h int, ok bool) {
	for _, p := range i.having(id) {
		if _, _, data, full := p.full(); p.kind == "ispe" && full && len(data) >= 8 {
			c := cursor{data: data}
			return int(c.number(4)), int(c.number(4)), true
		}
	}
	return 0, 0, false
}

// having returns the properties of item id, in the order in which they apply.
func (i *items) having(id uint32) (out []mediaBox) {
	for _, n := range i.of[id] {
		if n < len(i.properties) {
			out = append(out, i.properties[n])
		}
	}
	return out
}

// parts returns the items of which item id is composed.
func (i *items) parts(id uint32) (out []uint32) {
	for _, r := range i.refs["dimg"] {
		if r.from == id {
			out = append(out, r.to...)
		}
	}
	return out
}

// still describes the primary item.
func (i *items) still(l Limits) (still, error) {
	s := still{coding: i.kinds[i.primary]}
	var ok bool
	if s.width, s.height, ok = i.size(i.primary); !ok {
		return still{}, &Error{Err: ErrDamaged, Detail: "its main image has no size"}
	}
	if err := checkSides(s.width, s.height, l); err != nil {
		return still{}, err
	}
	parts := i.parts(i.primary)
	if len(parts) > maxTiles {
		return still{}, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("an image of %d parts, the limit is %d", len(parts), maxTiles)}
	}
	work := int64(0)
	for _, id := range parts {
		w, h, ok := i.size(id)
		if !ok {
			return still{}, &Error{Err: ErrDamaged, Detail: "a part of its main image has no size"}
		}
		if err := checkSides(w, h, l); err != nil {
			return still{}, err
		}
		work += int64(w) * int64(h)
	}
	// Tiles stand over the right and lower edge by less than a tile: small images of few tiles by most.
	if most := 4*int64(s.width)*int64(s.height) + tileSlack; work > most {
		return still{}, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("an image of %d x %d pixels from parts of %d pixels", s.width, s.height, work)}
	}
	s.work = work
	if len(parts) > 0 {
		s.coding = i.kinds[parts[0]]
	}
	for _, p := range i.having(i.primary) {
		if p.kind == "irot" || p.kind == "imir" || p.kind == "clap" {
			s.changes = append(s.changes, change(p))
		}
	}
	s.alpha = i.alphaOf(i.primary)
	s.premultiplied = slices.ContainsFunc(i.refs["prem"], func(r itemRef) bool { return r.from == i.primary })
	return s, nil
}

// tileSlack is the number of pixels that the parts of an image may have in any case: four tiles of 2048 x 2048.
const tileSlack = 16 << 20

// alphaOf returns the item with the transparency of item id, 0 if there is none.
func (i *items) alphaOf(id uint32) uint32 {
	for _, r := range i.refs["auxl"] {
		if !slices.Contains(r.to, id) {
			continue
		}
		for _, p := range i.having(r.from) {
			_, _, data, ok := p.full()
			name, _, _ := bytes.Cut(data, []byte{0})
			if ok && p.kind == "auxC" && slices.Contains(alphaNames, string(name)) {
				return r.from
			}
		}
	}
	return 0
}

// alphaNames are the types of auxiliary images that hold transparency.
var alphaNames = []string{"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1"}
