package binding_test

import (
	"bytes"
	"testing"

	"tcode/offline/binding"
)

// FuzzCheck: any bytes are an answer, and only the stamped file matches.
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

// FuzzFlip: a changed byte is never a match, wherever it lies.
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

// FuzzMarks: what parses writes itself again.
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
