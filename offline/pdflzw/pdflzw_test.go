package pdflzw_test

import (
	"bytes"
	late "compress/lzw"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	early "golang.org/x/image/tiff/lzw"

	"tcode/offline/pdflzw"
)

// encode packs text with codes that grow early, or late.
func encode(text string, earlyChange bool) []byte {
	var out []byte
	bits, have, width, ahead := 0, 0, 9, 0
	if earlyChange {
		ahead = 1
	}
	put := func(code int) {
		bits, have = bits<<width|code, have+width
		for have >= 8 {
			have -= 8
			out = append(out, byte(bits>>have))
			bits &= 1<<have - 1
		}
	}
	table, prefix := map[string]int{}, ""
	code := func(s string) int {
		if len(s) == 1 {
			return int(s[0])
		}
		return table[s]
	}
	put(256)
	for i := range len(text) {
		grown := prefix + text[i:i+1]
		if _, known := table[grown]; known || len(grown) == 1 {
			prefix = grown
			continue
		}
		put(code(prefix))
		table[grown] = 258 + len(table)
		if n := 257 + len(table) + ahead; n >= 1<<width { // the reader is an entry behind
			width++
		}
		if prefix = grown[len(grown)-1:]; len(table) == 4090-258 {
			put(code(prefix))
			put(256)
			clear(table)
			width, prefix = 9, ""
		}
	}
	if prefix != "" {
		put(code(prefix))
		if n := 258 + len(table) + ahead; n >= 1<<width && width < 12 {
			width++
		}
	}
	put(257)
	if have > 0 {
		out = append(out, byte(bits<<(8-have)))
	}
	return out
}

func long() string {
	var b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b, "%d %d m ", i*i%977, i)
	}
	return b.String()
}

// TestDecode holds both forms against a library that reads one of them. Each
// library fails on the other form, so neither can take the place of this package.
func TestDecode(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "-----A---B", long()} {
		for _, form := range []bool{true, false} {
			packed := encode(text, form)
			got, err := pdflzw.Decode(packed, form, 1<<20)
			if err != nil || string(got) != text {
				t.Errorf("early %v: %d bytes, %v, want %d", form, len(got), err, len(text))
			}
			byEarly, errEarly := io.ReadAll(early.NewReader(bytes.NewReader(packed), early.MSB, 8))
			byLate, errLate := io.ReadAll(late.NewReader(bytes.NewReader(packed), late.MSB, 8))
			if !form {
				byEarly, errEarly, byLate, errLate = byLate, errLate, byEarly, errEarly
			}
			if errEarly != nil || string(byEarly) != text {
				t.Errorf("early %v: its library reads %d bytes, %v", form, len(byEarly), errEarly)
			}
			if len(text) > 1000 && errLate == nil && string(byLate) == text {
				t.Errorf("early %v: the library of the other form reads it too", form)
			}
		}
	}
}

// TestDecodeRefuses: Decode returns the bytes before damage, with the error.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, data string
		limit      int
		want       string
		err        error
	}{
		{"the example of the standard", "\x80\x0B\x60\x50\x22\x0C\x0C\x85\x01", 100, "-----A---B", nil},
		{"no end", "\x80\x0B\x60", 100, "-", io.ErrUnexpectedEOF},
		{"nothing", "", 100, "", io.ErrUnexpectedEOF},
		{"a code that is not there", "\x80\x0B\x7F\xFF", 100, "-", pdflzw.ErrCode},
		{"a table code first", "\x80\x40\x80", 100, "", pdflzw.ErrCode},
		{"more than allowed", "\x80\x0B\x60\x50\x22\x0C\x0C\x85\x01", 4, "-----", pdflzw.ErrLimit},
	} {
		if got, err := pdflzw.Decode([]byte(tt.data), true, tt.limit); string(got) != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, %v; want %q, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

// FuzzDecode packs and unpacks, and looks for data that grows beyond its limit.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("-----A---B"), true)
	f.Add([]byte("\x80\x0B\x60\x50\x22\x0C\x0C\x85\x01"), false)
	f.Fuzz(func(t *testing.T, data []byte, form bool) {
		got, err := pdflzw.Decode(encode(string(data), form), form, len(data))
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes, %v, want %d", len(got), err, len(data))
		}
		const limit = 5000
		if got, _ := pdflzw.Decode(data, form, limit); len(got) > limit+4096 {
			t.Fatalf("%d bytes with a limit of %d", len(got), limit)
		}
	})
}
