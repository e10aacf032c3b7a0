package answer

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tcode/scanner/caveat"
	"tcode/scanner/filekind"
)

// endings are the endings of file names for each kind, in lower case, and kinds
// the names of the kinds for people.
var (
	endings = map[filekind.Kind][]string{
		filekind.PDF:  {"pdf"},
		filekind.PNG:  {"png"},
		filekind.JPEG: {"jpg", "jpeg", "jpe", "jfif"},
		filekind.TIFF: {"tif", "tiff"},
		filekind.BMP:  {"bmp", "dib"},
		filekind.GIF:  {"gif"},
		filekind.WebP: {"webp"},
		filekind.HEIC: {"heic", "heics", "heif", "heifs", "hif"},
		filekind.AVIF: {"avif", "avifs", "heif", "hif"},
		filekind.JP2:  {"jp2", "j2k", "j2c", "jpc", "jpx", "jpf", "jph", "jhc"},
		filekind.PNM:  {"pnm", "pbm", "pgm", "ppm", "pam"},
	}
	kinds = map[filekind.Kind]string{
		filekind.PDF: "a PDF", filekind.PNG: "a PNG image", filekind.JPEG: "a JPEG image", filekind.TIFF: "a TIFF image",
		filekind.BMP: "a BMP image", filekind.GIF: "a GIF image", filekind.WebP: "a WebP image",
		filekind.HEIC: "a HEIC image", filekind.AVIF: "an AVIF image", filekind.JP2: "a JPEG 2000 image", filekind.PNM: "a PNM image",
	}
)

// maxEnding is the length in bytes of the longest ending that counts as one.
const maxEnding = 16

// ending returns the part of name after its last dot, in lower case. It is
// empty if the name claims no kind: it has no dot, or a number ("report.2026")
// or words ("Contract with St. Gallen") follow. Only the last dot counts,
// because programs that go by the name use its end. Spaces and dots at the end
// do not count either, because Windows drops them.
func ending(name string) string {
	base := strings.TrimRight(path.Base(strings.ReplaceAll(name, `\`, "/")), ". ")
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 {
		return ""
	}
	end := strings.ToLower(base[dot+1:])
	if len(end) > maxEnding || !utf8.ValidString(end) || strings.ContainsFunc(end, unicode.IsSpace) || !strings.ContainsFunc(end, unicode.IsLetter) {
		return ""
	}
	return end
}

// misnamed returns a caveat if the name of a file is that of another kind. This
// program judges by the content; other programs may go by the name.
func misnamed(name string, kind filekind.Kind) []caveat.Caveat {
	end := ending(name)
	if end == "" || kind == filekind.Unknown || slices.Contains(endings[kind], end) {
		return nil
	}
	return []caveat.Caveat{{
		Code: caveat.FileName,
		Text: "it is " + kinds[kind] + " whose name ends in ." + end + ": programs that go by the name may show something else",
	}}
}

// preceded returns a caveat if bytes stand before the header of a PDF, as some programs add on its
// way. It is for a file that is not the one that was stamped.
func preceded(file []byte, kind filekind.Kind) []caveat.Caveat {
	n, what := filekind.Before(file)
	if n == 0 || kind != filekind.PDF {
		return nil
	}
	bytes := fmt.Sprintf("%d bytes that look", n)
	if n == 1 {
		bytes = "1 byte that looks"
	}
	return []caveat.Caveat{{
		Code: caveat.Before,
		Text: "the PDF begins after " + bytes + " like " + what + ": if a program added that on the way, " +
			"ask for the file as it was sent",
	}}
}
