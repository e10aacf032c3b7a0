package prepared

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/ascii85"
	"fmt"
	"strings"
)

// deflated encodes text for FlateDecode.
func deflated(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// flushed encodes text for FlateDecode with a block for each part.
func flushed(parts ...string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	for _, p := range parts {
		w.Write([]byte(p))
		w.Flush()
	}
	return b.String()
}

func hexed(text string) string { return fmt.Sprintf("%x", text) }

func base85(text string) string {
	b := make([]byte, ascii85.MaxEncodedLen(len(text)))
	return string(b[:ascii85.Encode(b, []byte(text))])
}

// runs encodes text for RunLengthDecode, without an end.
func runs(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		n := min(len(text), 100)
		b.WriteByte(byte(n - 1))
		b.WriteString(text[:n])
		text = text[n:]
	}
	return b.String()
}

// packed encodes text for LZWDecode, with codes that grow late (EarlyChange 0).
func packed(text string) string {
	var b bytes.Buffer
	w := lzw.NewWriter(&b, lzw.MSB, 8)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// rows puts a byte before each 8 bytes of text, as PNG predictors require.
func rows(kind byte, text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i += 8 {
		b.WriteByte(kind)
		b.WriteString((text[i:] + strings.Repeat(" ", 8))[:8])
	}
	return b.String()
}

// filters are contents that decoders end at different places, so that the cover
// of the amount is read or not.
func filters() []variant {
	body := honest + "\n"
	tail := "\n" + covered + "\n"
	both := body + tail
	of := func(name, entries, data string) variant {
		return variant{name, doc{more: objects{4: stream(entries, data), 10: "<</Name/Identity>>", 11: stream("", both)}}.pdf()}
	}
	zipped := deflated(body)
	broken := func(change func(b []byte)) string {
		b := []byte(deflated(both))
		change(b)
		return string(b)
	}
	late := packed(strings.Repeat("% comment that is long and varied 0123456789 abcdefghijklmnopqrstuvwxyz\n", 1) + varied() + both)
	out := []variant{
		of("flate/trailing-text", "/Filter/FlateDecode", zipped+tail),
		of("flate/trailing-stream", "/Filter/FlateDecode", zipped+deflated(tail)),
		of("flate/checksum", "/Filter/FlateDecode", broken(func(b []byte) { b[len(b)-1] ^= 1 })),
		of("flate/no-checksum", "/Filter/FlateDecode", deflated(both)[:len(deflated(both))-4]),
		of("flate/cut", "/Filter/FlateDecode", flushed(body, tail)),
		of("flate/cut-early", "/Filter/FlateDecode", deflated(both)[:len(deflated(both))*3/4]),
		of("flate/bad-block", "/Filter/FlateDecode", flushed(body)+"\x07\xff\xff"+flushed(tail)[2:]),
		of("flate/block-and-text", "/Filter/FlateDecode", flushed(body)+"\xff\xff\xff"+tail),
		of("flate/bad-stored", "/Filter/FlateDecode", flushed(body)+"\x01\x05\x00\x05\x00"+tail),
		of("flate/no-header", "/Filter/FlateDecode", deflated(both)[2:]),
		of("flate/bad-header", "/Filter/FlateDecode", broken(func(b []byte) { b[0], b[1] = 0x79, 0 })),
		of("flate/bad-header-check", "/Filter/FlateDecode", broken(func(b []byte) { b[1] ^= 1 })),
		of("flate/preset", "/Filter/FlateDecode", broken(func(b []byte) { b[1] = 0xbb })),
		of("flate/window", "/Filter/FlateDecode", broken(func(b []byte) { b[0], b[1] = 0x08, 0x1d })),
		of("flate/line-end-first", "/Filter/FlateDecode", "\r\n"+deflated(both)),
		of("flate/empty", "/Filter/FlateDecode", ""),
		of("flate/plain", "/Filter/FlateDecode", both),
		of("hex/after-end", "/Filter/ASCIIHexDecode", hexed(body)+">"+hexed(tail)+">"),
		of("hex/no-end", "/Filter/ASCIIHexDecode", hexed(both)),
		of("hex/odd", "/Filter/ASCIIHexDecode", hexed(body)+"0 "+hexed(tail)+">"),
		of("hex/bad-digit", "/Filter/ASCIIHexDecode", hexed(body)+"xx"+hexed(tail)+">"),
		of("hex/bad-digit-half", "/Filter/ASCIIHexDecode", hexed(body)+"2x0"+hexed(tail)+">"),
		of("hex/nul", "/Filter/ASCIIHexDecode", hexed(body)+"\x00"+hexed(tail)+">"),
		of("85/after-end", "/Filter/ASCII85Decode", base85(body)+"~>"+base85(tail)+"~>"),
		of("85/no-end", "/Filter/ASCII85Decode", base85(both)),
		of("85/half-end", "/Filter/ASCII85Decode", base85(body)+"~"+base85(tail)+"~>"),
		of("85/half-end-space", "/Filter/ASCII85Decode", base85(body)+"~ >"+base85(tail)+"~>"),
		of("85/bad-digit", "/Filter/ASCII85Decode", base85(body)+"v"+base85(tail)+"~>"),
		of("85/prefix", "/Filter/ASCII85Decode", "<~"+base85(both)+"~>"),
		of("85/z-inside", "/Filter/ASCII85Decode", base85(body)+"!z"+base85(tail)+"~>"),
		of("85/one-digit", "/Filter/ASCII85Decode", base85(body)+"!~>"+base85(tail)),
		of("runs/after-end", "/Filter/RunLengthDecode", runs(body)+"\x80"+runs(tail)+"\x80"),
		of("runs/no-end", "/Filter/RunLengthDecode", runs(both)),
		of("runs/cut", "/Filter/RunLengthDecode", runs(body)+"\x7f"+tail),
		of("lzw/late", "/Filter/LZWDecode/DecodeParms<</EarlyChange 0>>", late),
		of("lzw/early", "/Filter/LZWDecode", late),
		of("lzw/two", "/Filter/LZWDecode/DecodeParms<</EarlyChange 2>>", late),
		of("lzw/string", "/Filter/LZWDecode/DecodeParms<</EarlyChange(0)>>", late),
		of("lzw/no-end", "/Filter/LZWDecode", packed(both)[:len(packed(both))-2]),
		of("lzw/after-end", "/Filter/LZWDecode", packed(body)+packed(tail)),
		of("lzw/plain", "/Filter/LZWDecode", both),
	}
	return append(out, filterNames(both, of)...)
}

// varied returns comments that fill the table of LZW beyond codes of 9 bits.
func varied() string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%%%d %x\n", i*7919, i*i*104729)
	}
	return b.String()
}

// filterNames are names and parameters of filters, on contents that cover the
// amount.
func filterNames(both string, of func(name, entries, data string) variant) []variant {
	zipped, png := deflated(both), func(kind byte) string { return deflated(rows(kind, both)) }
	out := []variant{
		of("name/unknown", "/Filter/AcmeDecode", both),
		of("name/none", "/Filter/None", both),
		of("name/null", "/Filter null", both),
		of("name/empty", "/Filter[]", both),
		of("name/null-inside", "/Filter[null]", both),
		of("name/null-and-flate", "/Filter[null/FlateDecode]", zipped),
		of("name/nested", "/Filter[[/FlateDecode]]", zipped),
		of("name/string", "/Filter(FlateDecode)", zipped),
		of("name/number", "/Filter 7", both),
		of("name/case", "/Filter/flatedecode", zipped),
		of("name/hex", "/Filter/Fl#61teDecode", zipped),
		of("name/fl", "/Filter/Fl", zipped),
		of("name/ahx", "/Filter/AHx", hexed(both)+">"),
		of("name/a85", "/Filter/A85", base85(both)+"~>"),
		of("name/rl", "/Filter/RL", runs(both)+"\x80"),
		of("name/lzw", "/Filter/LZW", packed(both)),
		of("name/unknown-after", "/Filter[/FlateDecode/AcmeDecode]", zipped),
		of("name/unknown-before", "/Filter[/AcmeDecode/FlateDecode]", zipped),
		of("name/order", "/Filter[/FlateDecode/ASCIIHexDecode]", hexed(zipped)+">"),
		of("name/twice", "/Filter[/FlateDecode/FlateDecode]", zipped),
		of("name/abbreviated-key", "/F/FlateDecode", zipped),
		of("name/both-keys", "/F/ASCIIHexDecode/Filter/FlateDecode", zipped),
		of("name/dct", "/Filter/DCTDecode", both),
		of("name/ccf", "/Filter/CCITTFaxDecode", both),
		of("name/jpx", "/Filter/JPXDecode", both),
		of("name/jbig2", "/Filter/JBIG2Decode", both),
		of("name/missing-reference", "/Filter 99 0 R", both),
		of("name/stream", "/Filter 11 0 R", both),
		of("crypt/identity", "/Filter/Crypt/DecodeParms<</Name/Identity>>", both),
		of("crypt/unknown", "/Filter/Crypt/DecodeParms<</Name/Acme>>", both),
		of("crypt/none", "/Filter/Crypt", both),
		of("crypt/flate", "/Filter[/Crypt/FlateDecode]", zipped), of("crypt/after", "/Filter[/FlateDecode/Crypt]", zipped),
		of("external/file", "/F(other.txt)", both),
		of("external/filter", "/F(other.txt)/FFilter/FlateDecode", both),
		of("external/length", "/DL 9", both),
	}
	for i := range 6 {
		out = append(out, of(fmt.Sprintf("predictor/png-%d", i), fmt.Sprintf("/Filter/FlateDecode/DecodeParms<</Predictor %d/Columns 8>>", 10+i), png(0)))
	}
	parms := []struct{ name, entries, data string }{
		{"unknown", "/DecodeParms<</Predictor 3/Columns 8>>", png(0)},
		{"huge", "/DecodeParms<</Predictor 99/Columns 8>>", png(0)},
		{"row-unknown", "/DecodeParms<</Predictor 12/Columns 8>>", png(9)},
		{"negative", "/DecodeParms<</Predictor -12/Columns 8>>", png(0)},
		{"columns-none", "/DecodeParms<</Predictor 12>>", zipped},
		{"columns-zero", "/DecodeParms<</Predictor 12/Columns 0>>", zipped},
		{"colors-zero", "/DecodeParms<</Predictor 12/Columns 8/Colors 0>>", png(0)},
		{"bits-3", "/DecodeParms<</Predictor 12/Columns 8/BitsPerComponent 3>>", png(0)},
		{"string", "/DecodeParms<</Predictor(12)/Columns 8>>", png(0)},
		{"abbreviated", "/DP<</Predictor 12/Columns 8>>", png(0)},
		{"abbreviated-plain", "/DP<</Predictor 12/Columns 8>>", zipped},
		{"array", "/DecodeParms[<</Predictor 12/Columns 8>>]", png(0)},
		{"array-null", "/DecodeParms[null <</Predictor 12/Columns 8>>]", zipped},
		{"parms-of-name", "/DecodeParms/Acme", zipped},
		{"real", "/DecodeParms<</Predictor 12.5/Columns 8.7>>", png(0)},
		{"old-name", "/FDecodeParms<</Predictor 12/Columns 8>>", zipped},
		{"tiff", "/DecodeParms<</Predictor 2/Columns 1>>", zipped},
	}
	for _, p := range parms {
		out = append(out, of("predictor/"+p.name, "/Filter/FlateDecode"+p.entries, p.data))
	}
	return out
}
