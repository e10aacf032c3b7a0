package caveat_test

import (
	"strings"
	"testing"
)

// TestResources: what contents draw with is in the part of the standard that all
// programs agree on, or it is told of.
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
		{"/ColorSpace<</S[/DeviceN[]/DeviceGray " + tint + "]>>", wrong},
		{"/ColorSpace<</I[/Indexed/DeviceRGB 2<000000ffffff>]>>", wrong},
		{"/ColorSpace<</I[/Indexed/DeviceRGB 999<000000ffffff>]>>", wrong},
		{"/ColorSpace<</I[/ICCBased 99 0 R]>>", wrong},
		{"/ColorSpace<</G[/CalGray<</WhitePoint[1 1 1]/Gamma 0>>]>>", wrong},
		{"/ColorSpace<</DefaultGray[/Separation/Spot/DeviceGray " + tint + "]>>", wrong},

		{"/ExtGState<</E<</ca 0.5/CA 1/BM/Multiply/SMask/None>>>>", fine},
		{"/ExtGState<</E<</ca 2>>>>", wrong},
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

// TestPictures: the samples of a picture are all there, and its mask is one.
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
	} {
		file := edited(page("q Q"), "/Contents 4 0 R", "/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>")
		file = edited(file, "4 0 obj", "5 0 obj<</Subtype/Image"+tt.entries+"/Length 4>>stream\nabcd\nendstream endobj\n"+mask+"4 0 obj")
		if got := codes([]byte(file)); got != tt.want {
			t.Errorf("%s: caveats %q, want %q", tt.entries, got, tt.want)
		}
	}
}

// TestGroups: only what all programs blend alike is no caveat.
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
