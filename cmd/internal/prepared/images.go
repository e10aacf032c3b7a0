package prepared

import "strings"

// images are pictures over the amount that are white, black or invisible,
// depending on the program.
func images() []variant {
	const sample = "/Width 8/Height 8/BitsPerComponent 8"
	white := strings.Repeat("\xff", 64)
	of := func(name, entries, data string) variant {
		return variant{name, doc{
			resources: "/XObject<</X 10 0 R>>", contents: honest + " q 340 0 0 60 60 700 cm /X Do Q",
			more: objects{
				10: stream("/Type/XObject/Subtype/Image"+entries, data),
				11: stream("/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", "\x00"),
				12: stream("/Type/XObject/Subtype/Image/ImageMask true/Width 1/Height 1/BitsPerComponent 1", "\x80"),
				13: stream("", "\x00\x00"),
			},
		}.pdf()}
	}
	const gray = "/ColorSpace/DeviceGray" + sample
	out := []variant{
		of("gray/usual", gray, white),
		of("gray/short", gray, white[:20]),
		of("gray/empty", gray, ""),
		of("gray/inverted", gray+"/Decode[1 0]", white),
		of("gray/decode-short", gray+"/Decode[1]", white),
		of("gray/decode-odd", gray+"/Decode[-3 -2]", white),
		of("gray/decode-equal", gray+"/Decode[0 0]", white),
		of("gray/no-subtype", "/Subtype/Acme"+gray, white),
		of("space/none", sample, white),
		of("space/unknown", "/ColorSpace/Acme"+sample, white),
		of("space/abbreviated", "/ColorSpace/G"+sample, white),
		of("space/pattern", "/ColorSpace/Pattern"+sample, white),
		of("space/abbreviated-keys", "/CS/G/W 8/H 8/BPC 8", white),
		of("space/short-rgb", "/ColorSpace/DeviceRGB"+sample, white),
		of("space/indexed-range", "/ColorSpace[/Indexed/DeviceGray 1<00ff>]"+sample, strings.Repeat("\x05", 64)),
		of("space/indexed-short", "/ColorSpace[/Indexed/DeviceGray 255<00>]"+sample, strings.Repeat("\x05", 64)),
		of("space/indexed-stream", "/ColorSpace[/Indexed/DeviceGray 1 13 0 R]"+sample, white),
		of("space/indexed-indexed", "/ColorSpace[/Indexed[/Indexed/DeviceGray 1<00ff>]1<0001>]"+sample, white),
		of("space/separation-none", "/ColorSpace[/Separation/None/DeviceGray<</FunctionType 2/Domain[0 1]/C0[1]/C1[1]/N 1>>]"+sample, white),
		of("bits/3", "/ColorSpace/DeviceGray/Width 8/Height 8/BitsPerComponent 3", white),
		of("bits/0", "/ColorSpace/DeviceGray/Width 8/Height 8/BitsPerComponent 0", white),
		of("bits/none", "/ColorSpace/DeviceGray/Width 8/Height 8", white),
		of("bits/16", "/ColorSpace/DeviceGray/Width 8/Height 8/BitsPerComponent 16", white),
		of("bits/32", "/ColorSpace/DeviceGray/Width 8/Height 8/BitsPerComponent 32", white),
		of("size/zero", "/ColorSpace/DeviceGray/Width 0/Height 8/BitsPerComponent 8", white),
		of("size/negative", "/ColorSpace/DeviceGray/Width -8/Height 8/BitsPerComponent 8", white),
		of("size/real", "/ColorSpace/DeviceGray/Width 8.9/Height 8.9/BitsPerComponent 8", white),
		of("size/tall", "/ColorSpace/DeviceGray/Width 8/Height 800/BitsPerComponent 8", white),
		of("mask/image", "/ImageMask true/Width 8/Height 8", "\xff\xff\xff\xff\xff\xff\xff\xff"),
		of("mask/decode", "/ImageMask true/Decode[1 0]/Width 8/Height 8", "\xff\xff\xff\xff\xff\xff\xff\xff"),
		of("mask/8-bit", "/ImageMask true/BitsPerComponent 8/Width 8/Height 8", white),
		of("mask/string", "/ImageMask(true)/Width 8/Height 8/BitsPerComponent 1", white),
		of("mask/with-space", "/ImageMask true"+gray, white),
		of("mask/colour-key", gray+"/Mask[255 255]", white),
		of("mask/colour-key-range", gray+"/Mask[255 300]", white),
		of("mask/colour-key-short", gray+"/Mask[255]", white),
		of("mask/colour-key-reversed", gray+"/Mask[255 0]", white),
		of("mask/stencil", gray+"/Mask 12 0 R", white),
		of("mask/gray-stencil", gray+"/Mask 11 0 R", white),
		of("mask/soft", gray+"/SMask 11 0 R", white),
		of("mask/soft-stencil", gray+"/SMask 12 0 R", white),
		of("mask/soft-self", gray+"/SMask 10 0 R", white),
		of("mask/soft-null", gray+"/SMask null/Mask 12 0 R", white),
		of("mask/both", gray+"/SMask 11 0 R/Mask 12 0 R", white),
		of("mask/soft-name", gray+"/SMask/None", white),
		of("mask/in-data", gray+"/SMaskInData 1", white),
		of("alternate", gray+"/Alternates[<</Image 11 0 R/DefaultForPrinting true>>]", white),
		of("layer-alternate", gray+"/OC 13 0 R", white),
		of("jpx/garbage", sample+"/ColorSpace/DeviceGray/Filter/JPXDecode", white),
		of("jpx/empty", "/Filter/JPXDecode", ""),
		of("jpeg/garbage", gray+"/Filter/DCTDecode", white),
		of("jpeg/plain", gray+"/Filter[/ASCIIHexDecode/DCTDecode]", hexed(white)+">"),
		of("jbig2/garbage", "/ColorSpace/DeviceGray/Width 8/Height 8/BitsPerComponent 1/Filter/JBIG2Decode", white),
		of("jbig2/empty", "/ColorSpace/DeviceGray/Width 8/Height 8/BitsPerComponent 1/Filter/JBIG2Decode", ""),
		of("jbig2/page", jbig2Entries, jbig2Page("\x04")),
		of("jbig2/page-black", jbig2Entries, jbig2Page("\x00")),
		of("jbig2/unknown-segment", jbig2Entries, "\x00\x00\x00\x09\x3f\x00\x01\x00\x00\x00\x00"+jbig2Page("\x04")),
	}
	for _, f := range rowsOf("images") {
		// Each bit is a line like the one above in group 4, which starts white.
		out = append(out, of("fax/"+f[0], "/ColorSpace/DeviceGray/Width 8/Height 8/BitsPerComponent 1/Filter/CCITTFaxDecode/DecodeParms<<"+f[1]+">>", "\xff\x00\x10\x01\x00\x10\x01"))
	}
	return out
}

const jbig2Entries = "/ColorSpace/DeviceGray/Width 8/Height 8/BitsPerComponent 1/Filter/JBIG2Decode"

// jbig2Page returns an empty page of 8 by 8 pixels; flags give its colour.
func jbig2Page(flags string) string {
	return "\x00\x00\x00\x00\x30\x00\x01\x00\x00\x00\x13\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00" + flags + "\x00\x00"
}
