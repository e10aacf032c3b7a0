package caveat_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestResources: resources of contents are in the part of the standard on which all
// programs agree, or they have a caveat.
func TestResources(t *testing.T) {
	t.Parallel()
	const (
		tint  = "<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N 1>>"
		fine  = ""
		wrong = "ambiguous"
	)
	for _, tt := range []struct{ resources, want string }{
		{"/ColorSpace<</S[/Separation/Spot/DeviceGray " + tint + "]/I[/Indexed/DeviceRGB 1<000000ffffff>]/G[/CalGray<</WhitePoint[1 1 1]>>]>>", fine},
		{"/ColorSpace<</S/Acme>>", wrong},
		{"/ColorSpace<</S[/Separation/Spot/DeviceCMYK " + tint + "]>>", wrong},
		{"/ColorSpace<</S[/Separation/Spot/DeviceGray]>>", wrong},
		{"/ColorSpace<</S[/Separation/Black/DeviceGray<</FunctionType 2/Domain[0 1]/C0[1]/C1[1]/N 1>>]>>", wrong},
		{"/ColorSpace<</S[/Separation/Black/DeviceGray<</FunctionType 2/Domain[0 1]/N 1>>]>>", wrong},
		{"/ColorSpace<</S[/DeviceN[]/DeviceGray " + tint + "]>>", wrong},
		{"/ColorSpace<</I[/Indexed/DeviceRGB 2<000000ffffff>]>>", wrong},
		{"/ColorSpace<</I[/Indexed/DeviceRGB 999<000000ffffff>]>>", wrong},
		{"/ColorSpace<</I[/ICCBased 99 0 R]>>", wrong},
		{"/ColorSpace<</G[/CalGray<</WhitePoint[1 1 1]/Gamma 0>>]>>", wrong},
		{"/ColorSpace<</DefaultGray[/Separation/Spot/DeviceGray " + tint + "]>>", wrong},

		{"/ExtGState<</E<</ca 0.5/CA 1/BM/Multiply/SMask/None>>>>", fine},
		{"/ExtGState<</E<</op true/TR/Identity/TR2/Default>>>>", fine},
		{"/ExtGState<</E<</ca 2>>>>", wrong},
		{"/ExtGState<</E<</ca null>>>>", wrong},
		{"/ColorSpace<</S[/Separation/None/DeviceGray " + tint + "]>>", wrong},
		{"/ExtGState<</E<</BM/Luminosity>>>>", wrong},
		{"/ExtGState<</E<</BM/Hue>>>>", wrong},
		{"/ExtGState<</E<</TR " + tint + ">>>>", wrong},
		{"/ExtGState<</E<</TR2 " + tint + ">>>>", wrong},
		{"/ExtGState<</E<</Font[6 0 R 9]>>>>", wrong},
		{"/ExtGState<</E<</ca(0)>>>>", wrong},
		{"/ExtGState<</E<</BM/Acme>>>>", wrong},
		{"/ExtGState<</E<</BM[/Acme/Multiply]>>>>", wrong},
		{"/ExtGState<</E<</SMask<</S/Luminosity>>>>>>", wrong},

		{"/Pattern<</P<</PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 1 0]/Function " + tint + ">>>>>>", fine},
		{"/Pattern<</P<</PatternType 9>>>>", wrong},
		{"/Pattern<</P<</PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 0/YStep 9>>>>", wrong},
		{"/Shading<</S<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 1 0]>>>>", wrong},
		{"/Shading<</S<</ShadingType 9/ColorSpace/DeviceGray>>>>", wrong},

		{"/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[65/Aacute/B]>>>>>>", fine},
		{"/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Symbol>>>>", fine},
		{"/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Symbol/Encoding/WinAnsiEncoding>>>>", wrong},
		{"/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[49/g57]>>>>>>", wrong},
		{"/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[(49)/nine]>>>>>>", wrong},
		{"/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/AcmeEncoding>>>>", wrong},
		{"/Font<</F<</Type/Font/BaseFont/Helvetica>>>>", wrong},
		{"/Font<</F<</Type/Font/Subtype/TrueType/BaseFont/Arial/FontDescriptor<</Flags 4>>>>>>", wrong},
		{"/Font<</F<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[<</Subtype/CIDFontType2/FontDescriptor<</Flags 4>>>>]>>>>", wrong},
		{"/Font<</F<</Type/Font/Subtype/Type3/FontMatrix[1 0 0 0 0 0]/CharProcs<<>>>>>>", wrong},
	} {
		got := codes([]byte(edited(page("q Q"), "/Contents 4 0 R", "/Contents 4 0 R/Resources<<"+tt.resources+">>")))
		if got != tt.want {
			t.Errorf("%s: caveats %q, want %q", tt.resources, got, tt.want)
		}
	}
}

// TestPictures: the samples of a picture are complete, and its mask is sound.
func TestPictures(t *testing.T) {
	t.Parallel()
	const mask = "6 0 obj<</Subtype/Image/ImageMask true/Width 1/Height 1/Length 1>>stream\nx\nendstream endobj\n"
	for _, tt := range []struct{ entries, want string }{
		{"/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray", ""},
		{"/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray/Mask 6 0 R", ""},
		{"/Width 8/Height 4/ImageMask true", ""},
		{"/Width 2/Height 3/BitsPerComponent 8/ColorSpace/DeviceGray", "ambiguous"},
		{"/Width 2/Height 2/BitsPerComponent 3/ColorSpace/DeviceGray", "ambiguous"},
		{"/Width 2/Height 2/BitsPerComponent 8", "ambiguous"},
		{"/Width 2/Height 2/BitsPerComponent 8/ColorSpace/Acme", "ambiguous"},
		{"/Width 2.5/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray", "ambiguous"},
		{"/Width 0/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray", "ambiguous"},
		{"/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray/Decode[1]", "ambiguous"},
		{"/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray/Mask[9]", "ambiguous"},
		{"/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray/SMask 6 0 R", "ambiguous"},
		{"/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray/ImageMask(true)", "ambiguous"},
		{"/Width 2/Height 2/BitsPerComponent 1/ColorSpace/DeviceGray", "ambiguous"}, // pdf.js leaves out its end
		{"/Width 2/Height 2/BitsPerComponent 1/ColorSpace[/Indexed/DeviceGray 1<00ff>]", ""},
		{"/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray/OC 6 0 R", "ambiguous"},
		{"/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray/OC<</Type/OCMD>>", ""},
		{"/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/DCTDecode", "ambiguous"},
		{"/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/JPXDecode", "ambiguous"},
		{"/Width 2/Height 2/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/JBIG2Decode", "ambiguous"},
		{"/Width 99/Height 99/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/CCITTFaxDecode", "ambiguous"},
	} {
		file := edited(page("q Q"), "/Contents 4 0 R", "/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>")
		file = edited(file, "4 0 obj", "5 0 obj<</Subtype/Image"+tt.entries+"/Length 4>>stream\nabcd\nendstream endobj\n"+mask+"4 0 obj")
		if got := codes([]byte(file)); got != tt.want {
			t.Errorf("%s: caveats %q, want %q", tt.entries, got, tt.want)
		}
	}
}

// TestGroups: a group has no caveat only if all programs blend it alike.
func TestGroups(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ group, want string }{
		{"/Group<</S/Transparency/I true>>", ""},
		{"", ""},
		{"/Group<</S/Transparency>>", "ambiguous"}, // not isolated, and blends inside
		{"/Group<</S/Transparency/I(true)>>", "ambiguous"},
		{"/Group<</S/Acme>>", "ambiguous"},
		{"/Group<</S/Transparency/I true/CS/Acme>>", "ambiguous"},
	} {
		file := edited(page("q Q"), "/Contents 4 0 R", "/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>")
		file = edited(file, "4 0 obj", strings.ReplaceAll("5 0 obj<</Subtype/Form/BBox[0 0 9 9]GROUP/Resources<</ExtGState<</M<</BM/Multiply>>>>>>/Length 3>>stream\nq Q\nendstream endobj\n4 0 obj", "GROUP", tt.group))
		if got := codes([]byte(file)); got != tt.want {
			t.Errorf("%s: caveats %q, want %q", tt.group, got, tt.want)
		}
	}
}

// TestCoded: pictures of all filters with complete data have no caveat.
func TestCoded(t *testing.T) {
	t.Parallel()
	const (
		gray  = "/Width 96/Height 64/ColorSpace/DeviceGray/BitsPerComponent "
		begin = "\xFF\x4F\xFF\x51\x00\x29\x00\x00\x00\x00\x00\x60\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00\x00"
		tiles = "\x00\x00\x00\x60\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x07\x01\x01"
		style = "\xFF\x52\x00\x0C\x00\x00\x00\x01\x00\x00\x04\x04\x00\x01\xFF\x5C\x00\x04\x40\x40"
		part  = "\xFF\x90\x00\x0A\x00\x00\x00\x00\x00\x0E\x00\x01\xFF\x93"
		sheet = "\x00\x00\x00\x00\x30\x00\x01\x00\x00\x00\x13\x00\x00\x00\x60\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00"
		other = "\x00\x00\x00\x09\x3F\x00\x01\x00\x00\x00\x00" // no segment of the standard
		made  = "\x00\x00\x00\x01\x28\x00\x01\x00\x00\x00\x00" // a refinement
	)
	white := strings.Repeat("\xFF", 8)
	for _, tt := range []struct{ entries, data, want string }{
		{gray + "8/Filter/JPXDecode", begin + tiles + style + part + "\xFF\xD9", ""},
		{gray + "8/Filter/JPXDecode", begin + tiles + style + part, "ambiguous"},
		{gray + "8/Filter/JPXDecode", begin + tiles + part + "\xFF\xD9", "ambiguous"},
		{gray + "8/Filter/JPXDecode", begin + tiles + style + part[:9] + "\x99" + part[10:] + "\xFF\xD9", "ambiguous"},
		{"/Width 97/Height 64/Filter/JPXDecode", begin + tiles + style + part + "\xFF\xD9", "ambiguous"},
		{gray + "1/Filter/JBIG2Decode", sheet, ""},
		{gray + "1/Filter/JBIG2Decode", sheet + other, "ambiguous"},
		{gray + "1/Filter/JBIG2Decode", sheet + made, "ambiguous"},
		{gray + "1/Filter/JBIG2Decode", sheet[:20], "ambiguous"},
		{gray + "1/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 96>>", white + "\x00\x10\x01", ""},
		{gray + "1/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 96>>", white[:4] + "\x00\x10\x01", "ambiguous"},
		{gray + "1/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 90>>", white + "\x00\x10\x01", "ambiguous"},
		{gray + "1/Filter/CCITTFaxDecode/DecodeParms<</K 4/Columns 96>>", white, "ambiguous"},
	} {
		file := edited(page("q Q"), "/Contents 4 0 R", "/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>")
		file = edited(file, "4 0 obj", fmt.Sprintf("5 0 obj<</Subtype/Image%s/Length %d>>stream\n%s\nendstream endobj\n4 0 obj", tt.entries, len(tt.data), tt.data))
		if got := codes([]byte(file)); got != tt.want {
			t.Errorf("%s %q: caveats %q, want %q", tt.entries, tt.data, got, tt.want)
		}
	}
}

// TestOverprint: a colour that some programs mix with the contents below has a caveat,
// unless it is black.
func TestOverprint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ contents, want string }{
		{"/E gs 0 0 0 0 k 1 1 8 8 re f", "ambiguous"},
		{"0 0 0 0 k /E gs 1 1 8 8 re f", "ambiguous"},
		{"/E gs 0 0 0 0 K 1 1 8 8 re S", "ambiguous"},
		{"/E gs 0 0 0 0 K 1 1 8 8 re B", "ambiguous"},
		{"/E gs 0 0 0 1 k 1 1 8 8 re f", ""},
		{"/E gs 0 0 0 0 k 1 1 8 8 re n", ""},
		{"q /E gs Q 0 0 0 0 k 1 1 8 8 re f", ""},
	} {
		file := edited(page(tt.contents), "/Contents 4 0 R", "/Contents 4 0 R/Resources<</ExtGState<</E<</OP true/OPM 1>>>>>>")
		if got := codes([]byte(file)); got != tt.want {
			t.Errorf("%s: caveats %q, want %q", tt.contents, got, tt.want)
		}
	}
}

// FuzzCoded: data of pictures are read to an end, with the same result each time; data
// without their beginning have a caveat.
func FuzzCoded(f *testing.F) {
	f.Add("\xFF\x4F\xFF\x51\x00\x29", 0)
	f.Add("\x00\x00\x00\x0CjP  \r\n\x87\n\x00\x00\x00\x08jp2c", 0)
	f.Add("\x00\x00\x00\x00\x30\x00\x01\x00\x00\x00\x13", 1)
	f.Add("\xFF\xFF\x00\x10\x01", 2)
	f.Fuzz(func(t *testing.T, data string, kind int) {
		filter := []string{"JPXDecode", "JBIG2Decode", "CCITTFaxDecode/DecodeParms<</K -1/Columns 96>>"}[uint(kind)%3]
		of := func(data string) string {
			file := edited(page("q Q"), "/Contents 4 0 R", "/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>")
			return codes([]byte(edited(file, "4 0 obj", fmt.Sprintf("5 0 obj<</Subtype/Image/Width 96/Height 64/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/%s/Length %d>>stream\n%s\nendstream endobj\n4 0 obj", filter, len(data), data))))
		}
		if one, two := of(data), of(data); one != two {
			t.Fatalf("%q, then %q", one, two)
		}
		if uint(kind)%3 < 2 && of(data[min(len(data), 4):]) == "" && of(data) == "" {
			t.Fatal("no caveat without the beginning")
		}
	})
}
