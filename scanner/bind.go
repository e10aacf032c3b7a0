package scanner

import (
	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/scanner/raster"
)

// Bind says whether p, read from sym, belongs to file (DESIGN section 4, "Document binding"). Only a PDF can answer;
// for images, which is what paper becomes, the outcome is NotChecked. file is looked at as the renderer does, by
// content: the bytes that are judged are those that were shown.
func Bind(file []byte, p payload.Payload, sym Symbol) binding.Outcome {
	if raster.Sniff(file) != raster.PDF {
		return binding.Outcome{
			State: binding.NotChecked, Code: binding.CodeNoMark,
			Detail: "an image does not hold the bytes that were stamped",
		}
	}
	m := binding.Modules{Side: sym.Rows, Dark: sym.Dark}
	if sym.Rows != sym.Cols || len(sym.Dark) != sym.Rows*sym.Cols {
		m = binding.Modules{} // stamps are square: equals no drawn symbol
	}
	return binding.Check(file, p, m)
}
