package elements_test

import (
	"fmt"
	"strings"
	"testing"

	"tcode/scanner/elements"
)

// TestGS1 has the examples of the GS1 General Specifications and of the GS1 DataMatrix Guideline.
func TestGS1(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"0109521234543213", "(01)09521234543213"},
		{"010952123454321310ABC123\x1d21456", "(01)09521234543213 (10)ABC123 (21)456"},
		{"01034531200000111719112510ABCD1234", "(01)03453120000011 (17)191125 (10)ABCD1234"},
		{"01095011010209171719050810ABCD1234\x1d2110", "(01)09501101020917 (17)190508 (10)ABCD1234 (21)10"},
		{"00106141411234567897", "(00)106141411234567897"},
		{"3103000123" + "3922299\x1d" + "10A", "(3103)000123 (3922)299 (10)A"},
		{"4109521234543213", "(410)9521234543213"},
		{"421840123\x1d8005001234\x1d7003191231", "(421)840123 (8005)001234 (7003)191231"},
		{"240A\x1d37" + "5", "(240)A (37)5"},
		{"0109521234543213\x1d10A", "(01)09521234543213 (10)A"},
	}
	for _, tt := range tests {
		got, ok := elements.GS1(tt.in)
		var parts []string
		for _, e := range got {
			parts = append(parts, e.String())
		}
		if s := strings.Join(parts, " "); s != tt.want || !ok {
			t.Errorf("GS1(%q) = %s, %v, want %s", tt.in, s, ok, tt.want)
		}
		if back := elements.Join(got); back != tt.in {
			t.Errorf("Join of GS1(%q) = %q", tt.in, back)
		}
	}
	for _, in := range []string{"", "0", "01", "010952123454321", "05123", "38A", "XY12", "3A00", "01095212\x1d54321312", "31", "310", "10A\x1d6"} {
		if got, ok := elements.GS1(in); ok {
			t.Errorf("GS1(%q) = %v, want none", in, got)
		}
	}
}

// TestMessages has the examples of ISO/IEC 15434 and of the guidelines of its users.
func TestMessages(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"[)>\x1e06\x1d1PABC123\x1dS12345\x1e\x04", `[{06 [1PABC123 S12345] true}]`},
		{"[)>\x1e05\x1d0109521234543213\x1d10A\x1e\x04", `[{05 [0109521234543213 10A] true}]`},
		{"[)>\x1e01\x1d96841706672\x1d840\x1d001\x1e06\x1d10ZAI001\x1e\x04", `[{01 [96841706672 840 001] true} {06 [10ZAI001] true}]`},
		{"[)>\x1e07Free text, any of it\x1e\x04", `[{07 [Free text, any of it] false}]`},
		{"[)>\x1e09\x1dGIF\x1dNONE\x1d5\x1da\x1eb\x1dc\x1e\x04", "[{09 [GIF NONE 5 a\x1eb\x1dc] true}]"},
		{"[)>\x1e12\x1dMFR 123\x1dSER A\x1e\x04", `[{12 [MFR 123 SER A] true}]`},
		{"[)>\x1e06\x1d\x1e\x04", `[{06 [] true}]`},
	}
	for _, tt := range tests {
		got, ok := elements.Messages(tt.in)
		if s := fmt.Sprint(got); s != tt.want || !ok {
			t.Errorf("Messages(%q) = %q, %v, want %s", tt.in, s, ok, tt.want)
		}
		if back := elements.JoinMessages(got); back != tt.in {
			t.Errorf("JoinMessages of Messages(%q) = %q", tt.in, back)
		}
	}
	for _, in := range []string{"", "[)>\x1e", "[)>\x1e\x04", "[)>06\x1dA\x1e\x04", "[)>\x1e06\x1dA\x1e", "[)>\x1e06\x1dA", "[)>\x1e6\x1dA\x1e\x04", "[)>\x1e06\x1dA\x1e\x04B"} {
		if got, ok := elements.Messages(in); ok {
			t.Errorf("Messages(%q) = %v, want none", in, got)
		}
	}
}

// FuzzGS1: the elements joined are the text.
func FuzzGS1(f *testing.F) {
	f.Add("010952123454321310ABC123\x1d21456")
	f.Add("3103000123")
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := elements.GS1(text)
		if back := elements.Join(got); ok && back != text || !ok && len(got) > 0 {
			t.Fatalf("GS1(%q) = %v, joined %q", text, got, back)
		}
		for _, e := range got {
			if strings.Contains(e.AI+e.Value, elements.Separator) {
				t.Fatalf("GS1(%q): separator inside %v", text, e)
			}
		}
	})
}

// FuzzMessages: the messages joined are the text.
func FuzzMessages(f *testing.F) {
	f.Add("[)>\x1e06\x1d1PABC123\x1dS12345\x1e\x04")
	f.Add("[)>\x1e09\x1dGIF\x1dNONE\x1d5\x1da\x1eb\x1dc\x1e07x\x1e\x04")
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := elements.Messages(text)
		if back := elements.JoinMessages(got); ok && back != text || !ok && len(got) > 0 {
			t.Fatalf("Messages(%q) = %v, joined %q", text, got, back)
		}
	})
}
