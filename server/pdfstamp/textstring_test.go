package pdfstamp_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"tcode/server/pdfstamp"
)

func TestText(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]string{
		"(plain)":                            "plain",
		`(a\(b\)\\c)`:                        `a(b)\c`,
		"(nested (parentheses) stay)":        "nested (parentheses) stay",
		`(\101\7\0501)`:                      "A(1",
		"(one\\\r\nline)":                    "oneline",
		"(one\\\nline)":                      "oneline",
		`(\q)`:                               "q",
		"(\xE4)":                             "ä",
		"<416 20>":                           "Ab",
		"<4>":                                "@",
		"<FEFF04160020D83DDE42>":             "Ж 🙂",
		"(\xEF\xBB\xBF\xD0\x96)":             "Ж",
		"<FEFF>":                             "",
		"()":                                 "",
		"(":                                  "",
		"12":                                 "",
		"":                                   "",
		"(" + strings.Repeat("ä", 300) + ")": strings.Repeat("Ã¤", 50),
	} {
		if got := pdfstamp.TextForTest(token); got != want {
			t.Errorf("%q: %q, want %q", token, got, want)
		}
	}
}

// FuzzString: both forms of a string return any bytes unchanged, and the text for
// people is short and prints.
func FuzzString(f *testing.F) {
	for _, s := range []string{"plain", `a(b\`, "\r\n", "\xFE\xFF\x04\x16", "\xEF\xBB\xBFx", "\\101", "(((", strings.Repeat("\xE4", 300)} {
		f.Add(s)
	}
	escape := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "\r", `\r`)
	f.Fuzz(func(t *testing.T, s string) {
		for _, token := range []string{"(" + escape.Replace(s) + ")", fmt.Sprintf("<%x>", s)} {
			if got := pdfstamp.StringBytesForTest(token); got != s {
				t.Fatalf("%q comes back from %q as %q", s, token, got)
			}
		}
		for _, token := range []string{"(" + s + ")", "<" + s + ">", s} {
			got := pdfstamp.TextForTest(token)
			if len(got) > 200 || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("%q is shown as %q", token, got)
			}
		}
	})
}
