package intake

import (
	"archive/zip"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/unicode/norm"
)

// An entryName is what the name of an entry may be, each in NFC and with slashes. The
// first is the likeliest.
type entryName []string

// codePages are those of names without a mark of their encoding: APPNOTE appendix D says
// 437, and Windows writes that of its language.
var codePages = []encoding.Encoding{charmap.CodePage437, charmap.CodePage850, japanese.ShiftJIS, charmap.Windows1252}

// nameOf returns the name of an entry. Names that are UTF-8 are not something else by
// accident; of others a code page decides, which only the names in the rows can tell.
func nameOf(f *zip.File) entryName {
	if name, ok := unicodePath(f); ok {
		return entryName{canonical(name)}
	}
	if utf8.ValidString(f.Name) {
		return entryName{canonical(f.Name)}
	}
	var n entryName
	for _, page := range codePages {
		name, err := page.NewDecoder().String(f.Name)
		if err != nil || strings.ContainsRune(name, utf8.RuneError) {
			continue
		}
		if name = canonical(name); !slices.Contains(n, name) {
			n = append(n, name)
		}
	}
	if i := slices.IndexFunc(n, isWords); i > 0 {
		n[0], n[i] = n[i], n[0]
	}
	return n
}

// isWords reports whether all characters of a name outside of ASCII are letters.
func isWords(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf && !unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lo) })
}

// unicodePath returns the name in the Info-ZIP Unicode Path Extra Field (APPNOTE 4.6.9) of
// an entry. ok is false if there is none of this very name.
func unicodePath(f *zip.File) (name string, ok bool) {
	const id, headLen, fixedLen = 0x7075, 4, 5
	for extra := f.Extra; len(extra) >= headLen; {
		tag, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[headLen:]; size > len(extra) {
			break
		}
		field := extra[:size]
		if tag == id && size > fixedLen && field[0] == 1 && binary.LittleEndian.Uint32(field[1:]) == crc32.ChecksumIEEE([]byte(f.Name)) {
			return string(field[fixedLen:]), utf8.Valid(field[fixedLen:])
		}
		extra = extra[size:]
	}
	return "", false
}

// canonical returns one form for names that look the same: macOS writes
// accents as characters of their own (NFD), other systems do not (NFC).
func canonical(name string) string {
	name = norm.NFC.String(strings.ReplaceAll(name, `\`, "/"))
	for strings.HasPrefix(name, "./") {
		name = name[2:]
	}
	return name
}

// typewriter has the characters of a keyboard for those that programs put in their place,
// and for those that cannot be seen.
var typewriter = strings.NewReplacer(
	"\u2019", "'", "\u2018", "'", "\u02bc", "'", "\u2032", "'", "\u00b4", "'", "`", "'", "\uff07", "'",
	"\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u00ab", `"`, "\u00bb", `"`,
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2015", "-", "\u2212", "-",
	"\u00ad", "", "\u200b", "", "\u200e", "", "\u200f", "", "\u202a", "", "\u202c", "", "\ufeff", "",
)

// Alike reports whether people take two names for the same.
func Alike(a, b string) bool { return loose(a) == loose(b) }

// loose returns one form for names that people take for the same.
func loose(name string) string {
	folded := norm.NFC.String(cases.Fold().String(strings.Join(strings.Fields(typewriter.Replace(name)), " ")))
	if folded == name {
		return name // and its memory
	}
	return folded
}
