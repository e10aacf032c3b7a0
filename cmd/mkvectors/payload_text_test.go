package mkvectors_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tcode/offline/payload"
)

// textForms are byte strings with their text, and texts that are refused.
func textForms(made files, _ signers) error {
	for n := range 11 {
		ramp := make([]byte, n)
		for i := range ramp {
			ramp[i] = byte(i*37 + 1)
		}
		for _, raw := range [][]byte{bytes.Repeat([]byte{0xFF}, n), make([]byte, n), ramp} {
			what := "rising"
			if n == 0 || raw[0] == 0xFF {
				what = "greatest"
			} else if raw[0] == 0 {
				what = "least"
			}
			name := fmt.Sprintf("text-%02d-%s", n, what)
			headers := []header{{"text", payload.EncodeText(raw)}}
			if err := made.add(name, vector("ok", fmt.Sprintf("%d bytes", n), headers, hexBody(raw))); err != nil {
				return err
			}
			if n == 0 {
				break
			}
		}
	}
	return badTexts(made)
}

func badTexts(made files) error {
	good := payload.EncodeText(slices.Repeat([]byte{0xA5}, 27))
	type bad struct{ name, class, comment, text string }
	all := []bad{
		{"lower-case", "text-char", "one lower-case letter", good[:20] + strings.ToLower("Z") + good[21:]},
		{"space", "text-char", "a space in the middle", good[:20] + " " + good[21:]},
		{"newline", "text-char", "a carriage return in place of the last character", good[:41] + "\r"},
		{"hyphen", "text-char", "a hyphen", "-" + good[1:]},
		{"full-width", "text-char", "a full-width digit", "\uff11" + good[3:]},
		{"colon", "text-char", "the character after 9", good[:13] + ":" + good[14:]},
		{"bracket", "text-char", "the character after Z", good[:13] + "[" + good[14:]},
		{"too-long", "too-long", "more than the text of 4481 bytes", strings.Repeat("0", payload.MaxTextLen+1)},
	}
	for _, n := range []int{1, 3, 6, 9, 12, 15, 17, 20, 23, 26} {
		all = append(all, bad{fmt.Sprintf("length-%02d", n), "text-length", fmt.Sprintf("%d characters", n), strings.Repeat("0", n)})
	}
	for n := 1; n <= 9; n++ { // the least number that needs n + 1 bytes
		chars := len(payload.EncodeText(make([]byte, n)))
		v := new(big.Int).Lsh(big.NewInt(1), uint(8*n))
		text := strings.ToUpper(v.Text(36))
		text = strings.Repeat("0", chars-len(text)) + text
		all = append(all,
			bad{fmt.Sprintf("value-%d", n), "text-value", fmt.Sprintf("a block of %d bytes with the value 256^%d", n, n), text},
			bad{fmt.Sprintf("value-%d-zs", n), "text-value", fmt.Sprintf("a block of %d bytes with the greatest digits", n), strings.Repeat("Z", chars)})
	}
	for _, b := range all {
		// In hexadecimal, since it may hold characters that break a header line.
		headers := []header{{"text-hex", hex.EncodeToString([]byte(b.text))}}
		if err := made.add("text-bad-"+b.name, vector(b.class, b.comment, headers, "")); err != nil {
			return err
		}
	}
	return nil
}

// codewords are texts with the data codewords of their symbol.
func codewords(made files, keys signers) error {
	p := sample()
	if err := p.Seal(keys.ed); err != nil {
		return err
	}
	raw, err := p.Append(nil)
	if err != nil {
		return err
	}
	type good struct{ name, comment, text string }
	all := []good{{"minimal", "the text of a 108-byte payload: an unlatch fills the last codeword", payload.EncodeText(raw)}}
	for _, c := range []struct {
		chars   int
		comment string
	}{
		{1, "one left over, two codewords: unlatch and ASCII"},
		{2, "two left over, two codewords: a pair filled up with shift 1"},
		{3, "none left over, symbol full"},
		{4, "one left over, two codewords: unlatch and ASCII"},
		{5, "two left over, two codewords: a pair filled up with shift 1"},
		{6, "none left over, symbol full"},
		{7, "one left over, three codewords: unlatch, ASCII and padding"},
		{8, "two left over, three codewords: unlatch and two ASCII"},
		{9, "none left over, one codeword: unlatch"},
		{10, "one left over, one codeword: ASCII without unlatch"},
		{11, "two left over, five codewords: unlatch, two ASCII and padding"},
		{12, "none left over, three codewords: unlatch and padding"},
		{16, "one left over, one codeword: ASCII without unlatch"},
		{24, "none left over, one codeword"},
		{25, "one left over, one codeword"},
		{32, "padding that is 254 itself, in position 28"},
		{169, "one more than 40x40 holds with its unlatch: ASCII without unlatch"},
		{170, "two left over, and no room for a pair in 40x40: 44x44"},
		{214, "the fullest 44x44"},
		{1953, "none left over, one codeword, 132x132"},
		{1954, "the longest text of all"},
	} {
		all = append(all, good{fmt.Sprintf("%04d", c.chars), c.comment, cycle(c.chars)})
	}
	all = append(all,
		good{"digits", "a run of digits stays in C40", strings.Repeat("0123456789", 17)[:168]},
		good{"zeros", "lowest values", strings.Repeat("0", 168)},
		good{"zs", "highest values", strings.Repeat("Z", 168)})
	for _, g := range all {
		data, side, err := payload.Codewords(g.text)
		if err != nil {
			return fmt.Errorf("codewords %s: %w", g.name, err)
		}
		headers := []header{{"text", g.text}, {"side", fmt.Sprint(side)}}
		if err := made.add("codewords-"+g.name, vector("ok", g.comment, headers, hexBody(data))); err != nil {
			return err
		}
	}
	for _, b := range []struct{ name, class, comment, text string }{
		{"too-long", "too-long", "1955 characters fit no symbol", cycle(1955)},
		{"empty", "text-length", "no characters", ""},
		{"lower-case", "text-char", "a lower-case letter", "ABCdEF"},
		{"space", "text-char", "a space, which C40 could hold", "ABC DEF"},
		{"last-character", "text-char", "a hyphen as the last of two left over", "ABCD-"},
	} {
		headers := []header{{"text", b.text}}
		if err := made.add("codewords-bad-"+b.name, vector(b.class, b.comment, headers, "")); err != nil {
			return err
		}
	}
	return nil
}

// cycle returns n characters that go through the whole alphabet.
func cycle(n int) string {
	const alphabet = "Q7ZB0X9MK2WJ5TRA8V1CYP4LD6HGN3FSEUIO"
	return strings.Repeat(alphabet, n/len(alphabet)+1)[:n]
}

// wide writes the characters of ASCII as wide forms.
func wide(s string) string {
	return strings.Map(func(r rune) rune { return r - '!' + '\uff01' }, s)
}

// digitsFrom writes digits as those of a script, whose zero is given.
func digitsFrom(s string, zero rune) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r - '0' + zero
		}
		return r
	}, s)
}

// references are texts as people type them, and refused ones.
func references(made files, _ signers) error {
	// All values from 0 to 15, so that it has a 0 and a 1 to misread.
	ref := payload.Reference{0x00, 0x44, 0x32, 0x14, 0xC7, 0x42, 0x54, 0xB6, 0x35, 0xCF}
	shown := ref.String()
	bare := shown[len("TCR-"):]
	grouped := "TCR-" + bare[:4] + "-" + bare[4:8] + "-" + bare[8:12] + "-" + bare[12:]
	alike := strings.NewReplacer("0", "o", "1", "l")
	for _, r := range []struct{ name, comment, input string }{
		{"shown", "as it is shown", shown},
		{"lower-case", "in lower case", strings.ToLower(shown)},
		{"groups", "with hyphens between groups", grouped},
		{"spaces", "with spaces around and between", "  " + strings.ReplaceAll(grouped, "-", " ") + " "},
		{"joined", "without the hyphen", "TCR" + bare},
		{"alike", "o for 0 and l for 1", "TCR-" + alike.Replace(bare)},
		{"alike-upper", "O for 0 and I for 1", "TCR-" + strings.NewReplacer("0", "O", "1", "I").Replace(bare)},
		{"1024", "filled up to 1024 bytes with spaces", shown + strings.Repeat(" ", 1024-len(shown))},
		{"spelled", "a hyphen after every character", strings.Join(strings.Split("TCR"+bare, ""), "-")},
		{"tab", "a tab", shown[:4] + "\t" + shown[4:]},
		{"minus", "a minus sign that is no hyphen", "TCR\u2212" + bare},
		{"dashes", "an en dash, a prolonged sound mark and a soft hyphen", "TCR\u2013" + bare[:4] + "\u30fc" + bare[4:8] + "\u00ad" + bare[8:]},
		{"invisible", "with marks of direction and a byte order mark", "\ufeff\u2066" + shown[:8] + "\u200b" + shown[8:] + "\u2069"},
		{"punctuation", "in brackets, before a full stop", "(«" + shown + "»)."},
		{"wide", "wide forms", wide(shown)},
		{"digits-arabic", "Arabic digits", digitsFrom(shown, '\u0660')},
		{"digits-persian", "Persian digits", digitsFrom(shown, '\u06f0')},
		{"digits-hindi", "digits of Hindi", digitsFrom(shown, '\u0966')},
		{"cyrillic", "letters of Cyrillic", strings.NewReplacer("T", "Т", "C", "С", "A", "А", "H", "Н").Replace(shown)},
		{"greek", "letters of Greek", strings.NewReplacer("T", "τ", "A", "Α", "H", "Η").Replace(shown)},
		{"address", "the address of its page", "https://tcode.example/d/" + shown + "?lang=de"},
		{"address-part", "a part of that address, in upper case, with an end", "TCODE.EXAMPLE/D/" + shown + "/#top"},
	} {
		headers := []header{{"input", r.input}, {"shown", shown}}
		if err := made.add("reference-"+r.name, vector("ok", r.comment, headers, hexBody(ref[:]))); err != nil {
			return err
		}
	}
	for _, r := range []struct{ name, comment, input string }{
		{"empty", "nothing", ""},
		{"short", "15 characters", shown[:len(shown)-1]},
		{"long", "17 characters", shown + "0"},
		{"longer", "32 characters", shown + bare},
		{"no-prefix", "without TCR", bare},
		{"trust-prefix", "the prefix of a Trust document", "TRF-" + bare},
		{"u", "U is not in the alphabet", shown[:len(shown)-1] + "U"},
		{"star", "a check symbol", shown[:len(shown)-1] + "*"},
		{"prefix-only", "nothing but the prefix", "TCR-"},
		{"1025", "filled up to 1025 bytes with spaces", shown + strings.Repeat(" ", 1025-len(shown))},
		{"inner", "a full stop within", shown[:8] + "." + shown[8:]},
		{"word", "a word after it", shown + " now"},
		{"address", "the address of another page", "https://tcode.example/docs/" + shown},
		{"address-parameter", "the page of another, with the reference in a parameter", "https://tcode.example/d/?reference=/d/" + shown},
		{"dotless-i", "a dotless i, whose upper case is I", shown[:len(shown)-1] + "\u0131"},
		{"long-s", "a long s, whose upper case is S", shown[:len(shown)-1] + "\u017f"},
		{"kelvin", "the Kelvin sign, whose lower case is k", shown[:len(shown)-1] + "\u212a"},
	} {
		headers := []header{{"input", r.input}}
		if err := made.add("reference-bad-"+r.name, vector("reference", r.comment, headers, "")); err != nil {
			return err
		}
	}
	return nil
}
