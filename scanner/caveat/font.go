package caveat

import (
	"strings"
	"sync"

	"tcode/scanner/pdfobj"
)

// A font maps the bytes of a string to characters and their widths, for the fonts that
// all programs have or replace by a similar one. A font that is in the file may draw
// anything.
type font struct {
	runes [256]rune // 0: unknown
	scale float64   // of the widths of Helvetica; 0: all are 0.6 wide
}

// families are the beginnings of names of text fonts, without spaces and in lower case,
// with their widths in proportion to those of Helvetica.
var families = []struct {
	name  string
	scale float64
}{
	{"helv", 1},
	{"arial", 1},
	{"times", 0.9},
	{"cour", 0},
	{"verdana", 1.1},
	{"tahoma", 1},
	{"calibri", 0.9},
	{"segoeui", 1},
	{"georgia", 1},
	{"garamond", 0.85},
	{"cambria", 0.95},
	{"liberationsans", 1},
	{"liberationserif", 0.9},
	{"liberationmono", 0},
	{"dejavusans", 1.1},
	{"opensans", 1},
	{"roboto", 1},
	{"myriadpro", 0.9},
	{"minionpro", 0.85},
	{"trebuchet", 1},
	{"lucidaconsole", 0},
	{"consolas", 0},
}

// readFont reads the font dictionary d. It returns nil if the characters are unknown.
func readFont(doc *pdfobj.File, d pdfobj.Dict) *font {
	if kind := d.Name("Subtype"); kind != "Type1" && kind != "TrueType" || d.Name("Type") != "Font" && d.Has("Type") {
		return nil
	}
	if d.Has("FontDescriptor") {
		desc := doc.Dict(d["FontDescriptor"])
		flags, ok := doc.Value(desc["Flags"]).(int)
		const symbolic = 1 << 2
		if desc == nil || desc.Has("FontFile") || desc.Has("FontFile2") || desc.Has("FontFile3") || !ok || flags&symbolic != 0 {
			return nil
		}
	}
	base := strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(string(d.Name("BaseFont"))))
	f := &font{scale: -1}
	for _, known := range families {
		if strings.HasPrefix(base, known.name) {
			f.scale = known.scale
			break
		}
	}
	if f.scale < 0 {
		return nil
	}
	encoding, differences, ok := doc.Value(d["Encoding"]), pdfobj.Array(nil), true
	if e, isDict := encoding.(pdfobj.Dict); isDict {
		encoding = e["BaseEncoding"]
		differences, ok = doc.Value(e["Differences"]).(pdfobj.Array)
		if e.Has("Differences") && !ok {
			return nil
		}
	} else if d.Has("Encoding") && encoding == nil {
		return nil
	}
	of := lower
	switch encoding {
	case pdfobj.Name("WinAnsiEncoding"):
		of = winAnsi
	case pdfobj.Name("PDFDocEncoding"): // of Acrobat's own forms, by name
		of = pdfDoc
	case pdfobj.Name("MacRomanEncoding"), pdfobj.Name("StandardEncoding"), nil:
	default:
		return nil
	}
	for i := range f.runes {
		f.runes[i] = of(byte(i))
	}
	return f.differ(differences)
}

// differ applies Differences (ISO 32000-2, 9.6.5.1).
func (f *font) differ(differences pdfobj.Array) *font {
	code := 0
	for _, v := range differences {
		switch v := v.(type) {
		case int:
			code = v
		case pdfobj.Name:
			if code < 0 || code > 255 {
				return nil
			}
			f.runes[code] = glyphs()[string(v)]
			if len(v) == 1 && v[0] >= 'A' && v[0] <= 'z' && lower(v[0]) != 0 {
				f.runes[code] = rune(v[0])
			}
			code++
		default:
			return nil
		}
	}
	return f
}

// text returns the characters of the bytes b and their width in em. It returns false if
// the character of a byte is unknown.
func (f *font) text(b []byte) (string, float64, bool) {
	var out strings.Builder
	width := 0.0
	for _, c := range b {
		r := f.runes[c]
		if r == 0 && c != '\r' && c != '\n' {
			return "", 0, false
		}
		if r != 0 {
			out.WriteRune(r)
		}
		width += f.width(r)
	}
	return out.String(), width, true
}

// width returns the width of r in em, as in Helvetica.
func (f *font) width(r rune) float64 {
	if f.scale == 0 {
		return 0.6
	}
	w := 0.556
	switch {
	case strings.ContainsRune("ijl'`|", r):
		w = 0.23
	case strings.ContainsRune(" .,:;!/\\ftI[]", r):
		w = 0.278
	case strings.ContainsRune("()-r\"*", r):
		w = 0.34
	case strings.ContainsRune("cksvxyzJ", r):
		w = 0.5
	case strings.ContainsRune("ABEKPSVXYFTLZ", r):
		w = 0.65
	case strings.ContainsRune("wCDHNRUGOQ", r):
		w = 0.74
	case strings.ContainsRune("mMW@%", r):
		w = 0.87
	}
	return w * f.scale
}

// glyphs maps names in Differences (Adobe Glyph List) to characters. A single
// letter is its own name.
var glyphs = sync.OnceValue(func() map[string]rune { return readGlyphs(glyphList) })

func readGlyphs(list string) map[string]rune {
	out := map[string]rune{"space": ' ', "nbspace": ' ', "softhyphen": '-'}
	words := strings.Fields(list)
	for i := 0; i+1 < len(words); i += 2 {
		for _, r := range words[i+1] {
			out[words[i]] = r
		}
	}
	return out
}

const glyphList = `exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle ' parenleft ( parenright )
asterisk * plus + comma , hyphen - minus − period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7
eight 8 nine 9 colon : semicolon ; less < equal = greater > question ? at @ bracketleft [ backslash \ bracketright ]
asciicircum ^ underscore _ grave ` + "`" + ` braceleft { bar | braceright } asciitilde ~ exclamdown ¡ cent ¢ sterling £
currency ¤ yen ¥ brokenbar ¦ section § dieresis ¨ copyright © ordfeminine ª guillemotleft « logicalnot ¬ registered ®
macron ¯ degree ° plusminus ± twosuperior ² threesuperior ³ acute ´ mu µ paragraph ¶ periodcentered · cedilla ¸
onesuperior ¹ ordmasculine º guillemotright » onequarter ¼ onehalf ½ threequarters ¾ questiondown ¿ Agrave À Aacute Á
Acircumflex Â Atilde Ã Adieresis Ä Aring Å AE Æ Ccedilla Ç Egrave È Eacute É Ecircumflex Ê Edieresis Ë Igrave Ì
Iacute Í Icircumflex Î Idieresis Ï Eth Ð Ntilde Ñ Ograve Ò Oacute Ó Ocircumflex Ô Otilde Õ Odieresis Ö multiply ×
Oslash Ø Ugrave Ù Uacute Ú Ucircumflex Û Udieresis Ü Yacute Ý Thorn Þ germandbls ß agrave à aacute á acircumflex â
atilde ã adieresis ä aring å ae æ ccedilla ç egrave è eacute é ecircumflex ê edieresis ë igrave ì iacute í
icircumflex î idieresis ï eth ð ntilde ñ ograve ò oacute ó ocircumflex ô otilde õ odieresis ö divide ÷ oslash ø
ugrave ù uacute ú ucircumflex û udieresis ü yacute ý thorn þ ydieresis ÿ Euro € bullet • dagger † daggerdbl ‡
ellipsis … emdash — endash – florin ƒ fraction ⁄ guilsinglleft ‹ guilsinglright › perthousand ‰ quotedblbase „
quotedblleft “ quotedblright ” quoteleft ‘ quoteright ’ quotesinglbase ‚ trademark ™ fi ﬁ fl ﬂ Lslash Ł OE Œ
Scaron Š Ydieresis Ÿ Zcaron Ž dotlessi ı lslash ł oe œ scaron š zcaron ž breve ˘ caron ˇ circumflex ˆ dotaccent ˙
hungarumlaut ˝ ogonek ˛ ring ˚ tilde ˜ Abreve Ă abreve ă Aogonek Ą aogonek ą Cacute Ć cacute ć Ccaron Č ccaron č
Dcaron Ď dcaron ď Dcroat Đ dcroat đ Ecaron Ě ecaron ě Eogonek Ę eogonek ę Gbreve Ğ gbreve ğ Idotaccent İ Lacute Ĺ
lacute ĺ Lcaron Ľ lcaron ľ Nacute Ń nacute ń Ncaron Ň ncaron ň Ohungarumlaut Ő ohungarumlaut ő Racute Ŕ racute ŕ
Rcaron Ř rcaron ř Sacute Ś sacute ś Scedilla Ş scedilla ş Tcaron Ť tcaron ť Uhungarumlaut Ű uhungarumlaut ű Uring Ů
uring ů Zacute Ź zacute ź Zdotaccent Ż zdotaccent ż`
