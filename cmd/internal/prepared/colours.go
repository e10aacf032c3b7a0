package prepared

const (
	// tint maps one component of any value to white.
	tint = "<</FunctionType 2/Domain[0 1]/C0[1]/C1[1]/N 1>>"
	// box is the area over the amount.
	box = " 60 700 340 60 re f "
)

// colours are pages on which a box in an unusual colour covers the amount, and
// the other amount is on the box: a white box covers, a black one hides
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
	return append(madeOf("colours", makers{"of": of, "pattern": pattern, "space": space, "state": state}), []variant{
		space("separation/none", sep("None", "/DeviceGray", tint), "1"),
		space("separation/all", sep("All", "/DeviceGray", tint), "1"),
		space("separation/all-0", sep("All", "/DeviceGray", tint), "0"),
		space("separation/black", sep("Black", "/DeviceGray", tint), "1"),
		space("separation/cyan", sep("Cyan", "/DeviceGray", tint), "1"),
		space("separation/spot", sep("Spot", "/DeviceGray", tint), "1"),
		space("separation/wrong-count", sep("Spot", "/DeviceCMYK", tint), "1"),
		space("separation/null-function", sep("Spot", "/DeviceGray", "null"), "1"),
		space("separation/identity", sep("Spot", "/DeviceGray", "/Identity"), "1"),
		space("separation/unknown-alternate", sep("Spot", "/Acme", tint), "1"),
		space("separation/pattern-alternate", sep("Spot", "/Pattern", tint), "1"),
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
	}...)
}

// pad separates a value from the name before it.
func pad(value string) string { return " " + value }
