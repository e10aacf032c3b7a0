package prepared

const (
	// tint maps one component of any value to white.
	tint = "<</FunctionType 2/Domain[0 1]/C0[1]/C1[1]/N 1>>"
	// box is the area over the amount.
	box = " 60 700 340 60 re f "
)

// colours are pages on which a box in an unusual colour covers the amount, and
// the other amount stands on the box: a white box covers, a black one hides
// everything, and no box leaves two amounts over each other.
func colours() []variant {
	of := func(name, resources, set string) variant {
		return variant{name, doc{
			resources: resources, contents: honest + " q " + set + box + "Q " + other,
			more: objects{
				10: stream("/N 3", "no profile"),
				11: stream("/N 1/Alternate/DeviceGray", ""),
				12: stream("/N 3/Alternate/DeviceGray", "no profile"),
				13: stream("/N 7", "no profile"),
				14: stream("/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>", "1 g 0 0 9 9 re f"),
				15: stream("/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 0 0]/XStep 9/YStep 9/Resources<<>>", "1 g 0 0 9 9 re f"),
				16: stream("/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 0/YStep 0/Resources<<>>", "1 g 0 0 9 9 re f"),
				17: stream("/Type/Pattern/PatternType 1/PaintType 2/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>", "0 0 9 9 re f"),
				18: stream("/Type/Pattern/PatternType 1/PaintType 9/TilingType 9/BBox[0 0 9 9]/XStep -9/YStep -9/Resources<<>>", "1 g 0 0 9 9 re f"),
				19: stream("/FunctionType 4/Domain[0 1]/Range[0 1]", "{ pop 1 acme }"),
				20: stream("/FunctionType 4/Domain[0 1]/Range[0 1]", "{ pop 1 "),
				21: stream("/FunctionType 4/Domain[0 1]", "{ pop 1 }"),
				22: stream("/FunctionType 0/Domain[0 1]/Range[0 1]/Size[2]/BitsPerSample 8", "\xff\xff"),
				23: stream("/FunctionType 0/Domain[0 1]/Range[0 1]/Size[2]/BitsPerSample 8", "\xff"),
				24: stream("/FunctionType 4/Domain[0 1]/Range[0 1]", "{ pop }"),
			},
		}.pdf()}
	}
	space := func(name, value, operands string) variant {
		return of(name, "/ColorSpace<</S "+value+">>", "/S cs "+operands+" scn")
	}
	pattern := func(name, value, set string) variant { return of(name, "/Pattern<</P "+value+">>", set) }
	state := func(name, entries, set string) variant {
		return of(name, "/ExtGState<</E<<"+entries+">>>>", "/E gs "+set)
	}
	sep := func(colorant, alternate, function string) string {
		return "[/Separation/" + colorant + alternate + pad(function) + "]"
	}
	return []variant{
		of("name/unknown", "", "/Acme cs 1 scn"),
		of("name/missing", "", "/S cs 1 1 1 scn"),
		of("name/abbreviated", "", "/G cs 1 sc"),
		of("name/pattern", "", "/Pattern cs 1 sc"),
		of("name/default", "", "/DefaultGray cs 1 sc"),
		space("name/alias", "/DeviceGray", "1"),
		space("name/alias-of-alias", "/S", "1"),
		space("name/array-of-name", "[/DeviceGray]", "1"),
		space("name/array-abbreviated", "[/G]", "1"),
		space("name/array-empty", "[]", "1"),
		space("name/null", "null", "1"),
		space("name/number", "7", "1"),
		space("name/string", "(DeviceGray)", "1"),
		space("name/nested", "[[/DeviceGray]]", "1"),
		of("operands/few", "", "/DeviceRGB cs 1 1 sc"),
		of("operands/many", "", "/DeviceGray cs 1 0 0 sc"),
		of("operands/none", "", "1 g sc"),
		of("operands/rg-few", "", "1 1 rg"),
		of("operands/k-few", "", "0 0 0 k"),
		of("operands/g-many", "", "0 0 1 g"),
		of("operands/range", "", "9 g"),
		of("operands/negative", "", "-9 -9 -9 rg 9 9 9 rg"),
		of("operands/names", "", "/a g"),
		of("operands/string", "", "(1) g"),
		of("operands/null", "", "null g"),
		of("operands/array", "", "[1 1 1] rg"),
		space("separation/none", sep("None", "/DeviceGray", tint), "1"),
		space("separation/all", sep("All", "/DeviceGray", tint), "1"),
		space("separation/all-0", sep("All", "/DeviceGray", tint), "0"),
		space("separation/black", sep("Black", "/DeviceGray", tint), "1"),
		space("separation/cyan", sep("Cyan", "/DeviceGray", tint), "1"),
		space("separation/spot", sep("Spot", "/DeviceGray", tint), "1"),
		space("separation/wrong-count", sep("Spot", "/DeviceCMYK", tint), "1"),
		space("separation/no-function", "[/Separation/Spot/DeviceGray]", "1"),
		space("separation/null-function", sep("Spot", "/DeviceGray", "null"), "1"),
		space("separation/identity", sep("Spot", "/DeviceGray", "/Identity"), "1"),
		space("separation/unknown-alternate", sep("Spot", "/Acme", tint), "1"),
		space("separation/pattern-alternate", sep("Spot", "/Pattern", tint), "1"),
		space("separation/nested", "[/Separation/Spot[/Separation/Other/DeviceGray "+tint+"]"+tint+"]", "1"),
		space("separation/function-3", sep("Spot", "/DeviceGray", "<</FunctionType 3/Domain[0 1]/Functions[]/Bounds[]/Encode[]>>"), "1"),
		space("separation/function-9", sep("Spot", "/DeviceGray", "<</FunctionType 9/Domain[0 1]>>"), "1"),
		space("separation/no-domain", sep("Spot", "/DeviceGray", "<</FunctionType 2/C0[1]/C1[1]/N 1>>"), "1"),
		space("separation/no-n", sep("Spot", "/DeviceGray", "<</FunctionType 2/Domain[0 1]/C0[1]/C1[1]>>"), "1"),
		space("separation/negative-n", sep("Spot", "/DeviceGray", "<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N -1>>"), "0"),
		space("separation/unknown-operator", sep("Spot", "/DeviceGray", "19 0 R"), "1"),
		space("separation/unclosed-function", sep("Spot", "/DeviceGray", "20 0 R"), "1"),
		space("separation/no-range", sep("Spot", "/DeviceGray", "21 0 R"), "1"),
		space("separation/sampled", sep("Spot", "/DeviceGray", "22 0 R"), "1"),
		space("separation/sampled-short", sep("Spot", "/DeviceGray", "23 0 R"), "1"),
		space("separation/underflow", sep("Spot", "/DeviceGray", "24 0 R"), "1"),
		space("devicen/none", "[/DeviceN[/None/None]/DeviceGray 19 0 R]", "1 1"),
		space("devicen/empty", "[/DeviceN[]/DeviceGray "+tint+"]", "1"),
		space("devicen/all", "[/DeviceN[/All]/DeviceGray "+tint+"]", "1"),
		space("devicen/one", "[/DeviceN[/Spot]/DeviceGray "+tint+"]", "1"),
		space("devicen/count", "[/DeviceN[/A/B]/DeviceGray "+tint+"]", "1 1"),
		space("devicen/process", "[/DeviceN[/Cyan]/DeviceGray "+tint+"<</Subtype/NChannel>>]", "1"),
		space("icc/garbage", "[/ICCBased 10 0 R]", "1 1 1"),
		space("icc/empty", "[/ICCBased 11 0 R]", "1"),
		space("icc/wrong-alternate", "[/ICCBased 12 0 R]", "1 1 1"),
		space("icc/seven", "[/ICCBased 13 0 R]", "1 1 1"),
		space("icc/missing", "[/ICCBased 99 0 R]", "1 1 1"),
		space("icc/null", "[/ICCBased null]", "1"),
		space("indexed/range", "[/Indexed/DeviceGray 1<00ff>]", "9"),
		space("indexed/negative", "[/Indexed/DeviceGray 1<ff00>]", "-1"),
		space("indexed/real", "[/Indexed/DeviceGray 1<00ff>]", "0.5"),
		space("indexed/short", "[/Indexed/DeviceGray 9<00>]", "5"),
		space("indexed/hival", "[/Indexed/DeviceGray 999<00ff>]", "1"),
		space("indexed/rgb-short", "[/Indexed/DeviceRGB 1<ffffff>]", "1"),
		space("lab/white", "[/Lab<</WhitePoint[.95 1 1.09]>>]", "100 0 0"),
		space("lab/no-white", "[/Lab<<>>]", "100 0 0"),
		space("lab/range", "[/Lab<</WhitePoint[.95 1 1.09]/Range[50 60 50 60]>>]", "100 0 0"),
		space("lab/scaled", "[/Lab<</WhitePoint[.95 1 1.09]>>]", "1 0 0"),
		space("cal/gray", "[/CalGray<</WhitePoint[.95 1 1.09]>>]", "1"),
		space("cal/gray-zero", "[/CalGray<</WhitePoint[.95 1 1.09]/Gamma 0>>]", "0"),
		space("cal/gray-none", "[/CalGray]", "1"),
		space("cal/rgb-matrix", "[/CalRGB<</WhitePoint[.95 1 1.09]/Matrix[0 0 0 0 0 0 0 0 0]>>]", "1 1 1"),
		space("cal/cmyk", "[/CalCMYK<</WhitePoint[1 1 1]>>]", "0 0 0 0"),
		of("default/gray", "/ColorSpace<</DefaultGray[/Separation/None/DeviceGray "+tint+"]>>", "1 g"),
		of("default/gray-inverted", "/ColorSpace<</DefaultGray[/Separation/Spot/DeviceGray<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N 1>>]>>", "1 g"),
		of("default/rgb", "/ColorSpace<</DefaultRGB[/Indexed/DeviceGray 1<ff00>]>>", "1 1 1 rg"),
		of("default/rgb-device", "/ColorSpace<</DefaultRGB/DeviceGray>>", "1 1 1 rg"),
		of("default/cmyk", "/ColorSpace<</DefaultCMYK 10 0 R>>", "0 0 0 0 k"),
		of("default/cmyk-rgb", "/ColorSpace<</DefaultCMYK[/ICCBased 10 0 R]>>", "0 0 0 0 k"),
		pattern("pattern/tiling", "14 0 R", "/Pattern cs /P scn"),
		pattern("pattern/empty-box", "15 0 R", "/Pattern cs /P scn"),
		pattern("pattern/no-step", "16 0 R", "/Pattern cs /P scn"),
		pattern("pattern/uncoloured", "17 0 R", "/Pattern cs /P scn"),
		pattern("pattern/uncoloured-operand", "17 0 R", "/Pattern cs 1 /P scn"),
		pattern("pattern/odd-types", "18 0 R", "/Pattern cs /P scn"),
		pattern("pattern/missing", "99 0 R", "/Pattern cs /P scn"),
		pattern("pattern/no-space", "14 0 R", "/P scn"),
		pattern("pattern/sc", "14 0 R", "/Pattern cs /P sc"),
		pattern("pattern/gray-space", "14 0 R", "/DeviceGray cs /P scn"),
		pattern("pattern/type-9", "<</PatternType 9>>", "/Pattern cs /P scn"),
		pattern("shading/axial", "<</PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 1 0]/Function "+tint+"/Extend[true true]>>>>", "/Pattern cs /P scn"),
		pattern("shading/not-extended", "<</PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 1 0]/Function "+tint+">>>>", "/Pattern cs /P scn"),
		pattern("shading/point", "<</PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[9 9 9 9]/Function "+tint+"/Extend[true true]>>>>", "/Pattern cs /P scn"),
		pattern("shading/type-9", "<</PatternType 2/Shading<</ShadingType 9/ColorSpace/DeviceGray>>>>", "/Pattern cs /P scn"),
		pattern("shading/no-function", "<</PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 1 0]/Extend[true true]>>>>", "/Pattern cs /P scn"),
		pattern("shading/background", "<</PatternType 2/Shading<</ShadingType 2/Background[1]/ColorSpace/DeviceGray/Coords[0 0 1 0]/Function "+tint+">>>>", "/Pattern cs /P scn"),
		pattern("shading/function", "<</PatternType 2/Shading<</ShadingType 1/ColorSpace/DeviceGray/Function "+tint+">>>>", "/Pattern cs /P scn"),
		pattern("shading/radial-inside", "<</PatternType 2/Shading<</ShadingType 3/ColorSpace/DeviceGray/Coords[0 0 9 0 0 1]/Function "+tint+"/Extend[true true]>>>>", "/Pattern cs /P scn"),
		state("overprint/white", "/op true/OP true/OPM 1", "0 0 0 0 k"),
		state("overprint/mode-0", "/op true/OP true/OPM 0", "0 0 0 0 k"),
		state("overprint/spot", "/op true", "/DeviceCMYK cs 0 0 0 0 sc"),
		state("overprint/registration", "/op true/OPM 1", "0 0 0 .001 k"),
		state("transfer/inverted", "/TR<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N 1>>", "1 g"),
		state("transfer/inverted-2", "/TR2<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N 1>>", "1 g"),
		state("transfer/black", "/BG2/Default/UCR2/Default/HT/Default", "1 g"),
		of("intent", "", "/Acme ri 1 g"),
	}
}

// pad separates a value from the name before it.
func pad(value string) string { return " " + value }
