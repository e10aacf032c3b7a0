package binding_test

import (
	"bytes"
	"slices"
	"testing"

	"tcode/offline/binding"
)

// FuzzCheck: every input has an answer, and only the stamped file matches.
func FuzzCheck(f *testing.F) {
	s := newStamp("%PDF-1.4 the contract\n", 7)
	f.Add(s.file)
	f.Add(s.file[:len(s.file)-1])
	f.Add(append(bytes.Clone(s.file), s.mark.Append(nil)...))
	f.Add([]byte("/TCode<</V 1/R/TCR-"))
	f.Fuzz(func(t *testing.T, file []byte) {
		switch got := binding.Check(file, s.p, s.m); got.State {
		case binding.Match:
			if !bytes.Equal(file, s.file) {
				t.Fatal("another file matches")
			}
		case binding.Appended:
			if !bytes.HasPrefix(file, s.file) || got.AppendedBytes != int64(len(file)-len(s.file)) {
				t.Fatalf("appended %d bytes to another file", got.AppendedBytes)
			}
		}
	})
}

// FuzzFlip: a changed byte anywhere is never a match.
func FuzzFlip(f *testing.F) {
	s := newStamp("%PDF-1.4 the contract\n", 7)
	f.Add(uint(0), byte(1))
	f.Add(uint(s.mark.Start), byte(0x80))
	f.Fuzz(func(t *testing.T, at uint, flip byte) {
		if flip == 0 {
			return
		}
		file := bytes.Clone(s.file)
		file[at%uint(len(file))] ^= flip
		if got := binding.Check(file, s.p, s.m); got.State == binding.Match || got.State == binding.Appended {
			t.Fatalf("byte %d flipped by %#x: %s", at%uint(len(file)), flip, got.State)
		}
	})
}

// FuzzEdit replaces any run of a stamped file by any bytes, its own mark and
// hole among them, and corrects the mark if asked to: only the stamped file
// matches, and only files that begin with it count as appended.
func FuzzEdit(f *testing.F) {
	s := newStamp("%PDF-1.4 the contract\n", 7)
	f.Add(uint(0), uint(0), []byte("%"), false)
	f.Add(uint(s.mark.End), uint(0), s.mark.Append(nil), false)
	f.Add(uint(s.mark.Start), uint(s.mark.Length), binding.SymbolStream(modules(40, 8)), false)
	f.Add(uint(len("%PDF-1.4 ")), uint(len("the contract")), []byte("another one"), true)
	f.Add(uint(0), uint(0), s.file, true)
	f.Fuzz(func(t *testing.T, at, cut uint, put []byte, right bool) {
		at %= uint(len(s.file) + 1)
		cut %= uint(len(s.file)) - at + 1
		file := slices.Concat(s.file[:at], put, s.file[at+cut:])
		if right {
			moved := s.mark
			moved.Start += int64(len(put)) - int64(cut)
			moved.End = int64(len(file))
			file = bytes.Replace(file, s.mark.Append(nil), moved.Append(nil), 1)
		}
		got := binding.Check(file, s.p, s.m)
		switch {
		case got.State == binding.Match && !bytes.Equal(file, s.file):
			t.Fatal("another file matches")
		case got.State == binding.Appended && !bytes.HasPrefix(file, s.file):
			t.Fatal("another file counts as added to")
		case bytes.Equal(file, s.file) && got.State != binding.Match:
			t.Fatalf("the stamped file: %s", got.State)
		}
	})
}

// FuzzSymbol: a stamp that is read as another symbol than the drawn one never matches.
func FuzzSymbol(f *testing.F) {
	s := newStamp("%PDF-1.4 the contract\n", 7)
	f.Add(40, uint(7), uint(1))
	f.Add(44, uint(0), uint(0))
	f.Fuzz(func(t *testing.T, side int, at, flips uint) {
		m := binding.Modules{Side: side, Dark: slices.Clone(s.m.Dark)}
		for i := range flips % 8 {
			n := (at + i*i) % uint(len(m.Dark))
			m.Dark[n] = !m.Dark[n]
		}
		same := side == s.m.Side && slices.Equal(m.Dark, s.m.Dark)
		if got := binding.Check(s.file, s.p, m); (got.State == binding.Match) != same {
			t.Fatalf("side %d, same %v: %s", side, same, got.State)
		}
	})
}

// FuzzMarks: a mark that parses gives the same text again.
func FuzzMarks(f *testing.F) {
	f.Add(binding.Mark{Start: 1, Length: 2, End: 3}.Append(nil))
	for _, c := range ciphers {
		f.Add(binding.Mark{Start: 1, Length: 2, End: 3, Cipher: c}.Append(nil))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, m := range binding.Marks(file) {
			if !bytes.Contains(file, m.Append(nil)) {
				t.Fatalf("mark %+v is not in the file", m)
			}
		}
	})
}
