package filekind

import (
	"bytes"
	"strings"
)

// foreign are formats that are not read. A container has files inside, which may be a PDF.
var foreign = []struct {
	offset       int
	magic        string
	name, advice string
	container    bool
}{
	{0, "PK\x03\x04", "a ZIP archive or an Office file", adviceUnpack, true},
	{0, "PK\x05\x06", "an empty ZIP archive", adviceUnpack, true},
	{0, "PK\x07\x08", "a part of a ZIP archive", adviceUnpack, true},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive", adviceUnpack, true},
	{0, "Rar!\x1a\x07", "a RAR archive", adviceUnpack, true},
	{0, "\x1f\x8b\x08", "a gzip file", adviceUnpack, true},
	{0, "BZh", "a bzip2 file", adviceUnpack, true},
	{0, "\xfd7zXZ\x00", "an xz file", adviceUnpack, true},
	{0, "\x28\xb5\x2f\xfd", "a Zstandard file", adviceUnpack, true},
	{257, "ustar", "a tar archive", adviceUnpack, true},
	{0, "MSCF", "a cabinet archive", adviceUnpack, true},
	{0, "!<arch>\n", "an archive", adviceUnpack, true},
	{0, "\xd0\xcf\x11\xe0", "an old Office file or a message of Outlook", adviceUnpack, true},
	{0, "\x7fELF", "a program", "", true},
	{0, "MZ", "a program", "", true},
	{0, "-----BEGIN ", "a file in PEM form, such as a signed message", adviceSigned, true},
	{0, "II+\x00", "a BigTIFF image", "save it as PDF, PNG or an ordinary TIFF", false},
	{0, "MM\x00+", "a BigTIFF image", "save it as PDF, PNG or an ordinary TIFF", false},
	{0, "%!PS", "a PostScript file", "", false},
	{0, "\xff\x0a", "a JPEG XL image", AdviceExport, false},
	{0, "\x00\x00\x00\x0cJXL \r\n\x87\n", "a JPEG XL image", AdviceExport, false},
	{4, "ftypcrx ", "a camera's raw file", AdviceRaw, false},
	{0, "FUJIFILMCCD-RAW", "a camera's raw file", AdviceRaw, false},
	{0, "IIU\x00", "a camera's raw file", AdviceRaw, false},
	{0, "IIRO", "a camera's raw file", AdviceRaw, false},
	{0, "8BPS", "a Photoshop file", AdviceExport, false},
	{0, "AT&TFORM", "a DjVu file", AdviceExport, false},
	{0, "\x97JB2\r\n\x1a\n", "a JBIG2 image", AdviceExport, false},
	{4, "ftyp", "a video", "send a photo in its place", false},
}

// Advice for pictures that another program must convert.
const (
	AdviceExport = "export it as PNG or JPEG"
	AdviceRaw    = "export it as JPEG; on an iPhone switch Apple ProRAW off, in Settings, Camera, Formats"
)

// Advice for files that another program must open.
const (
	adviceUnpack = "unpack it, and send the document inside"
	adviceSigned = "open it with a program for signed messages, and send the document inside"
	adviceMail   = "save the attachment, and send that"
)

// pictures are the names of pictures that a program which takes no such ones tells people.
var pictures = map[Kind]string{
	BMP: "a BMP image", GIF: "a GIF image", WebP: "a WebP image", HEIC: "a HEIC image", AVIF: "an AVIF image", JP2: "a JPEG 2000 image",
	PNM: "a Netpbm image",
}

// Describe is [Foreign] for files of any kind but PDF, PNG, JPEG and TIFF.
func Describe(file []byte) (name, advice string) {
	if name := pictures[Of(file)]; name != "" {
		return name, AdviceExport
	}
	return Foreign(file)
}

// Foreign describes a file of the kind [Unknown] for people: its apparent format with an article,
// such as "a ZIP archive or an Office file", and what to do with it. Both may be empty.
func Foreign(file []byte) (name, advice string) {
	head := file[:min(len(file), HeadLen)]
	if OfImage(head) != Unknown {
		return "an image and a PDF at once, so viewers disagree about what it shows", ""
	}
	if name, advice = container(head); name != "" {
		return name, advice
	}
	for _, f := range foreign {
		if !f.container && hasAt(head, f.offset, f.magic) {
			return f.name, f.advice
		}
	}
	if bytes.HasSuffix(file, []byte(tgaFooter)) {
		return "a TGA image", AdviceExport
	}
	start := strings.TrimLeft(string(head), "\xef\xbb\xbf \t\r\n")
	if strings.HasPrefix(start, "<svg") || strings.HasPrefix(start, "<?xml") && strings.Contains(start, "<svg") {
		return "an SVG drawing", AdviceExport
	}
	if len(file) > 0 && !bytes.ContainsFunc(head, control) {
		return "a text file", ""
	}
	return "", ""
}

// tgaFooter ends a TGA file of version 2. Files of version 1 have no mark at all.
const tgaFooter = "TRUEVISION-XFILE.\x00"

func hasAt(head []byte, offset int, magic string) bool {
	return len(head) >= offset && bytes.HasPrefix(head[offset:], []byte(magic))
}

// control reports whether no text has r in it.
func control(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' }

// container describes a file that has other files inside. A PDF in it, even one whose header is
// within [HeadLen], is not the file.
func container(head []byte) (name, advice string) {
	for _, f := range foreign {
		if f.container && hasAt(head, f.offset, f.magic) {
			return f.name, f.advice
		}
	}
	switch {
	case signedMessage(head):
		return "a signed or encrypted message (PKCS #7)", adviceSigned
	case mail(head):
		return "an e-mail", adviceMail
	}
	return "", ""
}

// signedMessage reports whether head begins with a ContentInfo of PKCS #7 (RFC 5652, section 3): a
// sequence that starts with an object identifier below 1.2.840.113549.1.7.
func signedMessage(head []byte) bool {
	if len(head) < 2 || head[0] != 0x30 {
		return false
	}
	content := 2
	if head[1] > 0x80 {
		content += int(head[1] - 0x80) // bytes of a length in the long form
	}
	return hasAt(head, content, "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07")
}

// mailFields begin the lines of a header that says that a file is a message (RFC 5322, section 3.6),
// in lower case.
var mailFields = []string{"from:", "from ", "return-path:", "received:", "delivered-to:", "message-id:", "date:", "to:", "subject:", "mime-version:"}

// mail reports whether head begins with a message: its first line and one more are such fields.
func mail(head []byte) bool {
	found := 0
	for n, line := range bytes.Split(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("\n")) {
		line = bytes.ToLower(line[:min(len(line), 32)])
		for _, f := range mailFields {
			if bytes.HasPrefix(line, []byte(f)) {
				found++
				break
			}
		}
		if n == 0 && found == 0 || len(bytes.TrimSpace(line)) == 0 {
			break
		}
	}
	return found >= 2
}
