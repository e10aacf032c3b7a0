package attack_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/offline/binding"
)

// inPlace overwrites a part of the stamped file, the last of its kind.
func inPlace(from, to string) func(*testing.T, victim) []byte {
	return func(t *testing.T, v victim) []byte { return edited(t, v.PDF, from, to) }
}

// remarked changes the content of the mark.
func remarked(change func(*binding.Mark)) func(*testing.T, victim) []byte {
	return func(_ *testing.T, v victim) []byte {
		m := binding.Marks(v.PDF)[0]
		moved := m
		change(&moved)
		return bytes.Replace(v.PDF, m.Append(nil), moved.Append(nil), 1)
	}
}

// inHole changes the drawn symbol.
func inHole(change func(hole []byte)) func(*testing.T, victim) []byte {
	return func(_ *testing.T, v victim) []byte {
		m := binding.Marks(v.PDF)[0]
		out := bytes.Clone(v.PDF)
		change(out[m.Start : m.Start+m.Length])
		return out
	}
}

// cutOff removes n bytes of the end.
func cutOff(n int) func(*testing.T, victim) []byte {
	return func(_ *testing.T, v victim) []byte { return bytes.Clone(v.PDF[:len(v.PDF)-n]) }
}

// before puts bytes before the header, and corrects the mark if asked to.
func before(text string, corrected bool) func(*testing.T, victim) []byte {
	return func(t *testing.T, v victim) []byte {
		file := v.PDF
		if corrected {
			file = remarked(func(m *binding.Mark) { m.Start += int64(len(text)); m.End += int64(len(text)) })(t, v)
		}
		return append([]byte(text), file...)
	}
}

// changedAttacks change bytes that the fingerprint covers, or the symbol.
var changedAttacks = []attack{
	{name: "amount overwritten", make: inPlace("Pay 100", "Pay 900"), want: "mismatch"},
	{name: "header overwritten", make: inPlace("%PDF-1.7", "%PDF-1.4"), want: "mismatch"},
	{name: "box overwritten", make: inPlace("595 842", "595 500"), want: "mismatch"},
	{name: "length of the image overwritten", make: inPlace("/Length 3200", "/Length 3201"), want: "mismatch"},
	{name: "startxref overwritten", make: inPlace("startxref\n", "startxref "), want: "mismatch"},
	{name: "end overwritten", make: inPlace("%%EOF\n", "%%EOF "), want: "mismatch"},
	{name: "module of the symbol repainted", make: inHole(func(h []byte) {
		for row := range 4 {
			h[20*(4*21+row)+10] ^= 0xF0
		}
	}), want: "mismatch", says: "not the one that was read"},
	{name: "pixel of the symbol repainted", make: inHole(func(h []byte) { h[1500] ^= 1 }), want: "mismatch", says: "not the one that was read"},
	{name: "symbol of another paper in the hole", make: func(t *testing.T, v victim) []byte {
		return inHole(func(h []byte) {
			m := binding.Marks(v.other.PDF)[0]
			copy(h, v.other.PDF[m.Start:m.Start+m.Length])
		})(t, v)
	}, want: otherStamp},
	{name: "that, and its mark", make: func(t *testing.T, v victim) []byte {
		file := inHole(func(h []byte) {
			m := binding.Marks(v.other.PDF)[0]
			copy(h, v.other.PDF[m.Start:m.Start+m.Length])
		})(t, v)
		return bytes.Replace(file, []byte(v.Reference), []byte(v.other.Reference), 1)
	}, want: otherStamp},
	{name: "hole begins elsewhere", make: remarked(func(m *binding.Mark) { m.Start-- }), want: "mismatch"},
	{name: "hole is longer", make: remarked(func(m *binding.Mark) { m.Length++ }), want: "mismatch"},
	{name: "hole over the document", make: remarked(func(m *binding.Mark) { m.Length += m.Start - 9; m.Start = 9 }), want: "mismatch"},
	{name: "hole to the end", make: remarked(func(m *binding.Mark) { m.Length = m.End - m.Start }), want: "mismatch"},
	{name: "end is earlier", make: remarked(func(m *binding.Mark) { m.End -= 20 }), want: "mismatch"},
	{name: "end is beyond the file", make: remarked(func(m *binding.Mark) { m.End += 20 }), want: "mismatch"},
	{name: "mark of an unknown stamp", make: func(_ *testing.T, v victim) []byte {
		return bytes.Replace(v.PDF, []byte(v.Reference), []byte("TCR-0000000000000000"), 1)
	}, want: "not_checked"},
	{name: "mark misspelt, amount overwritten", make: func(t *testing.T, v victim) []byte {
		return bytes.Replace(edited(t, v.PDF, "Pay 100", "Pay 900"), []byte("/V 1/R"), []byte("/V 1 /"), 1)
	}, want: "not_checked"},
	{name: "last byte cut off", make: cutOff(1), want: "mismatch"},
	{name: "end cut off", make: cutOff(len("%%EOF\n")), want: "mismatch"},
	{name: "trailer cut off", make: func(_ *testing.T, v victim) []byte {
		return bytes.Clone(v.PDF[:bytes.LastIndex(v.PDF, []byte("trailer"))])
	}, want: "mismatch"},
	{name: "stamp cut off", make: func(_ *testing.T, v victim) []byte { return bytes.Clone(v.Original) }, want: noSymbol},
	{name: "line before the header", make: before("\n", false), want: "mismatch", caveats: "before"},
	{name: "line before the header, mark moved", make: before("\n", true), want: "mismatch", caveats: "before"},
	{name: "page of the web before the header", make: before("<html><!--", true), want: "mismatch", caveats: "before"},
	{name: "archive before the header", make: before("PK\x03\x04", false), want: unreadable},
	{name: "lines end differently", make: func(_ *testing.T, v victim) []byte {
		return slices.Concat(bytes.ReplaceAll(v.Original, []byte("\n"), []byte("\r")), v.PDF[len(v.Original):])
	}, want: "mismatch"},
}

// A forgery is another document with the victim's symbol, drawn without the
// stamper: it reads as well as the genuine one.
type forgery struct {
	entries func(v victim) string           // of the picture's dictionary
	more    func(v victim) world.Objects    // other objects
	comment func(v victim) string           // before the header's end
	end     func(v victim, b []byte) []byte // finishes the file
}

func (f forgery) make(_ *testing.T, v victim) []byte {
	m := binding.Marks(v.PDF)[0]
	entries := ""
	if f.entries != nil {
		entries = f.entries(v)
	}
	all := world.Objects{
		4:  world.Stream("", otherText+" q 45 0 0 45 500 50 cm 0 g /X Do Q"),
		30: world.Stream("/Subtype/Image/Width 160/Height 160/ImageMask true/BitsPerComponent 1"+entries, string(v.PDF[m.Start:m.Start+m.Length])),
	}
	if f.more != nil {
		for n, body := range f.more(v) {
			all[n] = body
		}
	}
	s := world.Sheet{Page: "/Resources<</XObject<</X 30 0 R>>/Font<</F 5 0 R>>>>", More: all}
	all[3] = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R" + s.Page + ">>"
	out := s.PDF()
	if f.comment != nil {
		out = bytes.Replace(out, []byte("%PDF-1.7\n"), []byte("%PDF-1.7\n%"+f.comment(v)+"\n"), 1)
	}
	if f.end != nil {
		out = f.end(v, out)
	}
	return out
}

func genuineMark(v victim) string { return string(binding.Marks(v.PDF)[0].Append(nil)) }

// corrected returns a mark with the numbers of the forged file.
func corrected(v victim, file []byte) []byte {
	old := binding.Marks(file)[0]
	at := int64(bytes.Index(file, []byte("/TCode<<")))
	m := old
	m.Start = at + int64(bytes.Index(file[at:], []byte("stream\n"))) + int64(len("stream\n"))
	m.End = int64(len(file))
	return bytes.Replace(file, old.Append(nil), m.Append(nil), 1)
}

// pastedAttacks put the victim's symbol on another document.
var pastedAttacks = []attack{
	{name: "revision on another document", make: func(_ *testing.T, v victim) []byte {
		return append(world.SmallPDF(999), v.PDF[len(v.Original):]...)
	}, want: "mismatch"},
	{name: "revision on a longer text", make: func(_ *testing.T, v victim) []byte {
		text := bytes.Replace(v.Original, []byte("Pay 100"), []byte("Pay 900"), 1)
		return append(text, v.PDF[len(v.Original):]...)
	}, want: "mismatch"},
	{name: "drawn without a mark", make: forgery{}.make, want: "not_checked", says: "or another document"},
	{name: "drawn with the mark", make: forgery{entries: genuineMark}.make, want: "mismatch"},
	{name: "drawn with a mark put right", make: forgery{entries: genuineMark, end: corrected}.make, want: "mismatch"},
	{name: "mark in a comment", make: forgery{comment: genuineMark}.make, want: "mismatch"},
	{name: "mark in a string", make: forgery{more: func(v victim) world.Objects { return world.Objects{31: "(" + genuineMark(v) + ")"} }}.make, want: "mismatch"},
	{name: "mark in another stream", make: forgery{more: func(v victim) world.Objects { return world.Objects{31: world.Stream("", genuineMark(v))} }}.make, want: "mismatch"},
	{name: "two pictures with the mark", make: forgery{entries: genuineMark, more: func(v victim) world.Objects {
		m := binding.Marks(v.PDF)[0]
		return world.Objects{31: world.Stream("/Subtype/Image"+genuineMark(v), string(v.PDF[m.Start:m.Start+m.Length]))}
	}}.make, want: "mismatch"},
	{name: "stamped file attached", make: forgery{more: func(v victim) world.Objects {
		return world.Objects{31: world.Stream("/Type/EmbeddedFile", string(v.PDF))}
	}}.make, want: "mismatch"},
	{name: "stamped file attached at the right place", make: forgery{more: func(v victim) world.Objects {
		return world.Objects{31: world.Stream("/Type/EmbeddedFile", string(v.PDF))}
	}, end: func(v victim, b []byte) []byte {
		return remarked(func(m *binding.Mark) {})(nil, victim{Paper: world.Paper{PDF: corrected(v, b)}})
	}}.make, want: "mismatch"},
	{name: "stamped file first, then the forgery", make: func(t *testing.T, v victim) []byte {
		forged := forgery{}.make(t, v)
		return append(bytes.Clone(v.PDF), world.Section(len(v.PDF), 0, bodies(forged), "/Root 1 0 R")...)
	}, want: "appended", says: "1 new version of a page"},
	{name: "picture of the page", make: func(t *testing.T, v victim) []byte { return pictureOf(t, v) }, want: "not_checked", says: "an image does not hold the bytes", caveats: "name"},
	{name: "picture of the page, then the stamped file", make: func(t *testing.T, v victim) []byte { return append(pictureOf(t, v), v.PDF...) }, want: unreadable},
	{name: "forgery that is a picture too", make: func(t *testing.T, v victim) []byte {
		return pictureAndPDF(pictureOf(t, v), forgery{}.make(t, v), 0)
	}, want: unreadable},
	{name: "forgery far inside a picture", make: func(t *testing.T, v victim) []byte {
		return pictureAndPDF(pictureOf(t, v), forgery{}.make(t, v), 3000)
	}, want: unreadable},
}

// bodies returns the objects of a file that [section] wrote.
func bodies(file []byte) world.Objects {
	all := world.Objects{}
	for _, part := range bytes.Split(file, []byte("\nendobj\n")) {
		var n int
		at := bytes.Index(part, []byte(" 0 obj\n"))
		if at < 0 {
			continue
		}
		line := part[bytes.LastIndexByte(part[:at], '\n')+1 : at]
		if _, err := fmt.Sscan(string(line), &n); err == nil {
			all[n] = string(part[at+len(" 0 obj\n"):])
		}
	}
	return all
}

// tool rewrites the stamped file with another program. IN and OUT are files.
func tool(args ...string) func(*testing.T, victim) []byte {
	return func(t *testing.T, v victim) []byte {
		world.Need(t, args[0])
		in, out := v.w.File(v.ID+"-in.pdf", v.PDF), v.w.File(v.ID+"-out.pdf", nil)
		with := slices.Clone(args[1:])
		for i := range with {
			with[i] = strings.NewReplacer("IN", in, "OUT", out).Replace(with[i])
		}
		if text, err := exec.Command(args[0], with...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, text)
		}
		return world.ReadFile(t, out)
	}
}

// savedAttacks are files that other programs rewrote: no check can tell their
// other changes.
var savedAttacks = []attack{
	{name: "saved by qpdf", make: tool("qpdf", "IN", "OUT"), want: "not_checked", says: "or another document"},
	{name: "linearized by qpdf", make: tool("qpdf", "--linearize", "IN", "OUT"), want: "not_checked"},
	{name: "packed by qpdf", make: tool("qpdf", "--object-streams=generate", "IN", "OUT"), want: "not_checked"},
	{name: "encrypted by qpdf", make: tool("qpdf", "--encrypt", "", "owner", "256", "--", "IN", "OUT"), want: "not_checked"},
	{name: "page taken by qpdf", make: tool("qpdf", "--empty", "--pages", "IN", "1", "--", "OUT"), want: "not_checked"},
	{name: "cleaned by mutool", make: tool("mutool", "clean", "-gggz", "IN", "OUT"), want: "not_checked"},
	{name: "merged by mutool", make: tool("mutool", "merge", "-o", "OUT", "IN"), want: "not_checked"},
	{name: "printed by poppler", make: tool("pdftocairo", "-pdf", "IN", "OUT"), want: "not_checked"},
}
