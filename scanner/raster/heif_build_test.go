package raster_test

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// A heifItem is an item of a file that buildHEIF makes.
type heifItem struct {
	id         uint16
	kind       string // four characters
	data       []byte // in the mdat box; of a grid and so on in the meta box
	properties []int  // from 1
}

// A heifRef is a reference between items.
type heifRef struct {
	kind string
	from uint16
	to   []uint16
}

// box returns a box with these parts.
func box(kind string, parts ...[]byte) []byte {
	n := 8
	for _, p := range parts {
		n += len(p)
	}
	b := append(binary.BigEndian.AppendUint32(nil, uint32(n)), kind...)
	return append(b, bytes.Join(parts, nil)...)
}

// fullBox returns a box with a version and no flags.
func fullBox(kind string, version byte, parts ...[]byte) []byte {
	return box(kind, append([][]byte{{version, 0, 0, 0}}, parts...)...)
}

// u16 and u32 return numbers one after the other.
func u16(v ...uint16) (b []byte) {
	for _, v := range v {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}

func u32(v ...uint32) (b []byte) {
	for _, v := range v {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// ispe returns the property with the size of an image.
func ispe(w, h uint32) []byte { return fullBox("ispe", 0, u32(w, h)) }

// buildHEIF returns a file of brand, whose first item is the main one. Items of the same data share it.
func buildHEIF(brand string, properties [][]byte, items []heifItem, refs ...heifRef) []byte {
	const version1, inMeta, inFile = 1, 1, 0
	ftyp := box("ftyp", []byte(brand), u32(0), []byte("mif1"), []byte(brand))
	var names, places, uses, stored, data []byte
	type place struct{ at, construction int }
	where := map[string]place{}
	build := func(dataAt int) []byte {
		names, places, uses, stored, data = nil, nil, nil, nil, nil
		clear(where)
		for _, it := range items {
			names = append(names, fullBox("infe", 2, u16(it.id, 0), []byte(it.kind), []byte{0})...)
			p, ok := where[string(it.data)]
			if !ok && it.kind != "hvc1" && it.kind != "av01" {
				p = place{len(stored), inMeta}
				stored = append(stored, it.data...)
			} else if !ok {
				p = place{dataAt + len(data), inFile}
				data = append(data, it.data...)
			}
			where[string(it.data)] = p
			places = append(places, u16(it.id, uint16(p.construction), 0, 1)...)
			places = append(places, u32(uint32(p.at), uint32(len(it.data)))...)
			uses = append(uses, u16(it.id)...)
			uses = append(uses, byte(len(it.properties)))
			for _, p := range it.properties {
				uses = append(uses, byte(p))
			}
		}
		n := uint16(len(items))
		var links []byte
		for _, r := range refs {
			links = append(links, box(r.kind, u16(r.from, uint16(len(r.to))), u16(r.to...))...)
		}
		parts := [][]byte{
			fullBox("hdlr", 0, u32(0), []byte("pict"), make([]byte, 13)),
			fullBox("pitm", 0, u16(items[0].id)),
			fullBox("iloc", version1, []byte{0x44, 0}, u16(n), places),
			fullBox("iinf", 0, u16(n), names),
			box("iprp", box("ipco", properties...), fullBox("ipma", 0, u32(uint32(n)), uses)),
		}
		if links != nil {
			parts = append(parts, fullBox("iref", 0, links))
		}
		if stored != nil {
			parts = append(parts, box("idat", stored))
		}
		return fullBox("meta", 0, parts...)
	}
	at := len(ftyp) + len(build(0)) + 8
	return append(append(ftyp, build(at)...), box("mdat", data)...)
}

// coded is the coded image of a file with one: its configuration property and its data.
type coded struct{ configuration, data []byte }

// codedOf takes the parts of a file apart that an encoder made of one image.
func codedOf(t testing.TB, file []byte, configuration string) coded {
	t.Helper()
	part := func(kind string) []byte {
		at := bytes.Index(file, []byte(kind)) - 4
		if at < 0 {
			t.Fatalf("no box %s", kind)
		}
		return file[at:][:binary.BigEndian.Uint32(file[at:])]
	}
	return coded{part(configuration), part("mdat")[8:]}
}

// grid returns a HEIC file whose image of w x h px is composed of columns x rows tiles that claim tw x th px, all of the same
// data.
func grid(c coded, w, h uint32, columns, rows int, tw, th uint32) []byte {
	items := []heifItem{{1, "grid", append([]byte{0, 1, byte(rows - 1), byte(columns - 1)}, u32(w, h)...), []int{1}}}
	ref := heifRef{"dimg", 1, nil}
	for i := range columns * rows {
		items = append(items, heifItem{uint16(2 + i), "hvc1", c.data, []int{2, 3}})
		ref.to = append(ref.to, uint16(2+i))
	}
	return buildHEIF("heic", [][]byte{ispe(w, h), ispe(tw, th), c.configuration}, items, ref)
}
