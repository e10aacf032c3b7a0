package prepared

// contents are odd streams of operators: unbalanced, cut, ambiguous.
func contents() []variant {
	const show9 = "BT /F 24 Tf 72 720 Td (Pay 900 EUR) Tj ET"
	of := func(name, text string) variant {
		return variant{name, doc{
			contents:  text,
			resources: "/XObject<</X 10 0 R/Y 11 0 R/Z 12 0 R>>/ExtGState<</Z<</ca 0>>>>",
			more:      objects{10: form("", overlay), 11: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]", covered), 12: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<<>>", covered)},
		}.pdf()}
	}
	after := func(name, text string) variant { return of(name, honest+" "+text) }
	list := func(name, value string, parts ...string) variant {
		all := objects{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 5 0 R>>>>/Contents" + value + ">>", 20: "[21 0 R 22 0 R]"}
		for i, p := range parts {
			all[21+i] = stream("", p)
		}
		return variant{name, doc{more: all}.pdf()}
	}
	return append([]variant{
		after("state/unbalanced-q", "q q q "+covered),
		after("state/unbalanced-Q", "Q Q Q "+covered),
		after("state/restored-white", "Q 1 g Q "+show9),
		of("state/restored-first", "Q "+honest),
		after("state/in-text", "BT q /F 24 Tf 72 650 Td (DRAFT) Tj Q ET"),
		after("state/Q-in-text", "q BT /F 24 Tf 72 650 Td Q (DRAFT) Tj ET"),
		after("state/cm-in-text", "BT /F 24 Tf 1 0 0 1 0 -300 cm 72 720 Td (DRAFT) Tj ET"),
		after("state/path-in-text", "BT 1 g"+box+"0 g ET "+show9),
		after("state/text-in-text", blot+"BT BT /F 24 Tf 72 720 Td (Pay 900 EUR) Tj ET ET"),
		after("state/no-begin", blot+"/F 24 Tf 1 0 0 1 72 720 Tm (Pay 900 EUR) Tj"),
		after("state/no-end", blot+"BT /F 24 Tf 72 720 Td (Pay 900 EUR) Tj"),
		after("state/matrix-kept", blot+"BT 1 0 0 1 72 720 Tm ET BT /F 24 Tf (Pay 900 EUR) Tj ET"),
		after("state/text-state-kept", "BT 3 Tr ET "+covered),
		after("state/text-state-saved", "q BT 3 Tr ET Q "+covered),
		after("state/flat-matrix", "q 0 0 0 0 0 0 cm "+covered),
		after("state/matrix-few", "q 1 0 0 1 cm "+covered),
		after("state/nested-q", repeat("q ", 600)+covered),
		after("state/nested-q-drop", repeat("q ", 70)+"1 0 0 1 0 -300 cm "+repeat("Q ", 70)+covered),
		after("text/mode-3", "BT 3 Tr /F 24 Tf 72 650 Td (DRAFT) Tj ET"),
		after("text/mode-7", "BT 7 Tr /F 24 Tf 72 720 Td (Pay 900 EUR) Tj ET 1 g"+box),
		after("text/mode-8", "BT 8 Tr /F 24 Tf 72 650 Td (DRAFT) Tj ET"),
		after("text/mode-negative", "BT -1 Tr /F 24 Tf 72 650 Td (DRAFT) Tj ET"),
		after("text/mode-real", "BT 2.9 Tr /F 24 Tf 72 650 Td (DRAFT) Tj ET"),
		after("text/mode-7-empty", "BT 7 Tr ET "+covered),
		after("text/mode-7-spaces", "BT 7 Tr /F 24 Tf ( ) Tj ET "+covered),
		after("text/mode-4-unclosed", "BT 4 Tr /F 24 Tf 72 650 Td (DRAFT) Tj 0 Tr ET "+covered),
		after("text/mode-7-q", "q BT 7 Tr /F 24 Tf 9 9 Td (a) Tj ET Q "+covered),
		after("text/size-zero", "BT /F 0 Tf 72 650 Td (DRAFT) Tj ET"),
		after("text/size-negative", blot+"BT /F -24 Tf 72 720 Td (Pay 900 EUR) Tj ET"),
		after("text/scale-zero", "BT 0 Tz /F 24 Tf 72 650 Td (DRAFT) Tj ET"),
		after("text/scale-negative", "BT -100 Tz /F 24 Tf 400 650 Td (DRAFT) Tj ET"),
		after("text/rise", "BT 300 Ts /F 24 Tf 72 350 Td (DRAFT) Tj ET"),
		after("text/no-font", blot+"BT /Missing 24 Tf 72 720 Td (Pay 900 EUR) Tj ET"),
		after("text/no-font-set", "q "+blot+"Q BT 72 720 Td (Pay 900 EUR) Tj ET"),
		of("text/never-font", "BT 72 720 Td (Pay 100 EUR) Tj ET"),
		after("text/font-few", blot+"BT 24 Tf 72 720 Td (Pay 900 EUR) Tj ET"),
		after("text/adjust-string", blot+"BT /F 24 Tf 72 720 Td [(Pay )(9)0(00) (EUR)] TJ ET"),
		after("text/adjust-large", blot+"BT /F 24 Tf 72 720 Td [(Pay ) 20000 (900 EUR)] TJ ET"),
		after("text/adjust-open", blot+"BT /F 24 Tf 72 720 Td [(Pay 900 EUR) TJ ET"),
		after("text/adjust-nested", blot+"BT /F 24 Tf 72 720 Td [[(Pay 900 EUR)]] TJ ET"),
		after("text/spacing", blot+"BT /F 24 Tf 900 Tc 72 720 Td (Pay 900 EUR) Tj ET"),
		after("text/actual", "/Span<</ActualText(Pay 100 EUR)>>BDC "+covered+" EMC"),
		after("clip/empty", "q W n "+covered+" Q"),
		after("clip/no-path", "q 60 700 m W n "+covered+" Q"),
		after("clip/no-n", "q 0 0 1 1 re W "+covered+" Q"),
		after("clip/even-odd", "q 0 0 595 842 re 0 0 595 842 re W* n "+covered+" Q"),
		after("clip/flat", "q 0 0 0 842 re W n "+covered+" Q"),
		after("clip/negative", "q 595 842 -595 -842 re W n "+covered+" Q"),
		after("clip/kept", "Q 0 0 1 1 re W n Q "+covered),
		after("clip/twice", "q 0 0 1 1 re W W* n "+covered+" Q"),
		after("path/no-move", "1 g 400 700 l 400 760 l 60 760 l 60 700 l f 0 g "+show9),
		after("path/few", "1 g 60 700 340 re f 0 g "+show9),
		after("path/unpainted", "1 g"+box+"0 g "+show9+" f"),
		after("path/F", "1 g 60 700 340 60 re F 0 g "+show9),
		after("path/line-width-zero", "1 G 0 w 60 730 m 400 730 l S"),
		after("path/line-width-negative", "1 G -60 w 60 730 m 400 730 l S"),
		after("path/dash-zero", "1 G 60 w [0 0] 0 d 60 730 m 400 730 l S"),
		after("path/dash-negative", "1 G 60 w [-3 3] 0 d 60 730 m 400 730 l S"),
		after("path/dash-name", "1 G 60 w /a 0 d 60 730 m 400 730 l S"),
		after("path/cap-only", "1 G 60 w 2 J 60 730 m 60 730 l S 1 g"),
		after("path/cap-9", "1 G 60 w 9 J 9 j 60 730 m 400 730 l S"),
		after("path/flatness", "1 g 999 i"+box+"0 g "+show9),
		after("path/nan", "1 g 60 700 nan 60 re f 0 g "+show9),
		after("section/compatible", "BX acme "+covered+" EX"),
		after("section/compatible-open", "BX "+covered),
		after("section/compatible-close", "EX "+covered),
		after("section/marks-open", "/a BMC /b BMC "+covered),
		after("section/marks-close", "EMC EMC "+covered),
		after("section/mark-properties", "/Span /Missing BDC "+covered+" EMC"),
		after("section/artifact", "/Artifact BMC "+covered+" EMC"),
		after("section/artifact-hidden", "/Artifact<</Type/Pagination/Subtype/Watermark>>BDC "+covered+" EMC"),
		after("section/postscript", "/PS BMC "+covered+" EMC"),
		after("draw/form", "q 1 0 0 1 60 700 cm /X Do Q"),
		after("draw/page-resources", "/Y Do"),
		after("draw/empty-resources", "/Z Do"),
		after("draw/missing", "/Missing Do "+covered),
		after("draw/in-text", "BT 1 0 0 1 60 700 cm /X Do ET"),
		after("draw/in-path", "60 700 m 1 0 0 1 60 700 cm /X Do"),
		after("draw/string", "q 1 0 0 1 60 700 cm (X) Do Q"),
		after("draw/shading-missing", "/Missing sh "+covered),
		list("list/split-operator", "[21 0 R 22 0 R]", honest+" 1 g 60 700 340 60 r", "e f 0 g "+show9),
		list("list/split-number", "[21 0 R 22 0 R]", honest+" 1 g 60 700 340 60 re f 0 g BT /F 24 Tf 72 72", "0 Td (Pay 900 EUR) Tj ET"),
		list("list/split-string", "[21 0 R 22 0 R]", blot+"BT /F 24 Tf 72 720 Td (Pay 9", "00 EUR) Tj ET"),
		list("list/split-name", "[21 0 R 22 0 R]", "BT /", "F 24 Tf 72 720 Td (Pay 900 EUR) Tj ET"),
		list("list/split-comment", "[21 0 R 22 0 R]", honest+" % comment", covered),
		list("list/split-array", "[21 0 R 22 0 R]", "BT /F 24 Tf 72 720 Td [(Pay 9", "00 EUR)] TJ ET"),
		list("list/split-hex", "[21 0 R 22 0 R]", "BT /F 24 Tf 72 720 Td <5061792", "039303020> Tj ET"),
		list("list/split-operands", "[21 0 R 22 0 R]", honest+" 1 g 60 700 340 60", "re f 0 g "+show9),
		list("list/split-state", "[21 0 R 22 0 R]", honest+" q 1 0 0 1 0 -300 cm", "Q "+covered),
		list("list/split-text", "[21 0 R 22 0 R]", "BT /F 24 Tf 72 720 Td", "(Pay 900 EUR) Tj ET"),
		list("list/twice", "[21 0 R 21 0 R]", honest+" 1 0 0 1 0 -40 cm"),
		list("list/null", "[null 21 0 R 99 0 R]", honest),
		list("list/nested", "[21 0 R [22 0 R]]", honest, covered),
		list("list/reference", " 20 0 R", honest, covered),
		list("list/in-list", "[20 0 R]", honest, covered),
		list("list/direct", "[21 0 R(junk)22 0 R]", honest, covered),
		list("list/dictionary", "<<>>", honest),
		list("list/empty", "[]"),
		list("list/number", "[21 0 R 7 22 0 R]", honest, covered),
		list("list/string", "(BT /F 24 Tf 72 720 Td \\(Pay 900 EUR\\) Tj ET)"),
		list("list/page", "[21 0 R 3 0 R 22 0 R]", honest, covered),
	}, inline()...)
}

func repeat(s string, n int) string {
	b := make([]byte, 0, n*len(s))
	for range n {
		b = append(b, s...)
	}
	return string(b)
}

// inline are pictures in contents whose end is ambiguous: the bytes after it
// cover the amount, or are a part of the picture.
func inline() []variant {
	of := func(name, text string) variant {
		return variant{"inline/" + name, doc{contents: honest + " " + text}.pdf()}
	}
	const small = "BI /W 4 /H 1 /BPC 8 /CS /G ID abcd"
	long := "BI /W 200 /H 1 /BPC 8 /CS /G ID "
	pixels := repeat("x", 90)
	return []variant{
		of("usual", small+" EI "+covered),
		of("glued", small+"EI "+covered),
		of("glued-after", small+" EIq "+covered),
		of("no-end", small+" "+covered),
		of("no-data", "BI /W 4 /H 1 /BPC 8 /CS /G EI "+covered),
		of("no-id", "BI "+covered),
		of("end-inside", long+pixels+" EI "+covered+" "+pixels+" EI"),
		of("end-inside-lines", long+pixels+"\nEI\n"+covered+"\n"+pixels+"\nEI\n"),
		of("end-inside-Q", long+pixels+" EI Q "+covered+" "+pixels+" EI Q"),
		of("end-inside-binary", long+pixels+" EI \x80\xff "+covered+" "+pixels+" EI"),
		of("end-inside-nul", long+pixels+"\x00EI\x00"+covered+" "+pixels+" EI"),
		of("end-inside-string", long+pixels+" EI ( "+covered+" "+pixels+" EI ) Tj"),
		of("short", "BI /W 4 /H 1 /BPC 8 /CS /G ID ab EI "+covered),
		of("long", "BI /W 4 /H 1 /BPC 8 /CS /G ID abcdefgh EI "+covered),
		of("id-no-space", "BI /W 4 /H 1 /BPC 8 /CS /G IDabcd EI "+covered),
		of("id-crlf", "BI /W 4 /H 1 /BPC 8 /CS /G ID\r\nabcd\r\nEI "+covered),
		of("id-two-spaces", "BI /W 4 /H 1 /BPC 8 /CS /G ID  abcd EI "+covered),
		of("length", "BI /W 4 /H 1 /BPC 8 /CS /G /L 4 ID abcd EI "+covered),
		of("length-long", "BI /W 4 /H 1 /BPC 8 /CS /G /L 999 ID abcd EI "+covered),
		of("length-name", "BI /W 4 /H 1 /BPC 8 /CS /G /Length 90 ID abcd EI "+covered),
		of("width-zero", "BI /W 0 /H 0 /BPC 8 /CS /G ID EI "+covered),
		of("width-huge", "BI /W 99999 /H 99999 /BPC 8 /CS /G ID abcd EI "+covered),
		of("width-negative", "BI /W -4 /H 1 /BPC 8 /CS /G ID abcd EI "+covered),
		of("space-unknown", "BI /W 4 /H 1 /BPC 8 /CS /Acme ID abcd EI "+covered),
		of("space-none", "BI /W 4 /H 1 /BPC 8 ID abcd EI "+covered),
		of("filter-hex", "BI /W 4 /H 1 /BPC 8 /CS /G /F /AHx ID 61626364> EI "+covered),
		of("filter-hex-no-end", "BI /W 4 /H 1 /BPC 8 /CS /G /F /AHx ID 61626364 EI "+covered),
		of("filter-85", "BI /W 4 /H 1 /BPC 8 /CS /G /F /A85 ID @:E_W~> EI "+covered),
		of("filter-85-end-inside", "BI /W 4 /H 1 /BPC 8 /CS /G /F /A85 ID @:E EI _W~> EI "+covered),
		of("filter-flate", "BI /W 4 /H 1 /BPC 8 /CS /G /F /Fl ID "+deflated("abcd")+" EI "+covered),
		of("filter-flate-broken", "BI /W 4 /H 1 /BPC 8 /CS /G /F /Fl ID abcd EI "+covered),
		of("filter-long-name", "BI /W 4 /H 1 /BPC 8 /CS /G /Filter /FlateDecode ID "+deflated("abcd")+" EI "+covered),
		of("filter-unknown", "BI /W 4 /H 1 /BPC 8 /CS /G /F /Acme ID abcd EI "+covered),
		of("filter-runs", "BI /W 4 /H 1 /BPC 8 /CS /G /F /RL ID \x03abcd\x80 EI "+covered),
		of("filter-jpeg", "BI /W 4 /H 1 /BPC 8 /CS /G /F /DCT ID \xff\xd8 EI \xff\xd9 EI "+covered),
		of("filter-fax", "BI /W 4 /H 1 /BPC 1 /IM true /F /CCF ID \x00\x10\x01 EI "+covered),
		of("mask", "q 340 0 0 60 60 700 cm BI /W 1 /H 1 /IM true ID \x00 EI Q "),
		of("white", "q 340 0 0 60 60 700 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \xff EI Q "),
		of("white-long-keys", "q 340 0 0 60 60 700 cm BI /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray ID \xff EI Q "),
		of("white-both-keys", "q 340 0 0 60 60 700 cm BI /Width 1 /W 9 /H 1 /BPC 8 /CS /G ID \xff EI Q "),
		of("white-indexed", "q 340 0 0 60 60 700 cm BI /W 1 /H 1 /BPC 8 /CS [/I /G 0 <ff>] ID \x00 EI Q "),
		of("white-decode", "q 340 0 0 60 60 700 cm BI /W 1 /H 1 /BPC 8 /CS /G /D [1 0] ID \x00 EI Q "),
		of("in-text", "BT "+small+" EI ET "+covered),
		of("nested", "BI /W 4 /H 1 BI /BPC 8 /CS /G ID abcd EI "+covered),
	}
}
