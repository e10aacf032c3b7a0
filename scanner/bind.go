package scanner

import (
	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/scanner/caveat"
	"tcode/scanner/raster"
)

// A Bound is how a stamp relates to the file that it was read from.
type Bound struct {
	binding.Outcome
	Caveats []caveat.Caveat // with Match and Appended: why the bytes do not settle what is shown
}

// Bind says whether p, read from sym, belongs to file (DESIGN section 4, "Document binding"). Only a PDF can answer;
// for images, which is what paper becomes, the outcome is NotChecked. file is looked at as the renderer does, by
// content: the bytes that are judged are those that were shown.
//
// The detail of what was appended, and the caveats, are for people: they say what the bytes claim.
func Bind(file []byte, p payload.Payload, sym Symbol) Bound {
	if raster.Sniff(file) != raster.PDF {
		return Bound{Outcome: binding.Outcome{
			State: binding.NotChecked, Code: binding.CodeNoMark,
			Detail: "an image does not hold the bytes that were stamped",
		}}
	}
	m := binding.Modules{Side: sym.Rows, Dark: sym.Dark}
	if sym.Rows != sym.Cols || len(sym.Dark) != sym.Rows*sym.Cols {
		m = binding.Modules{} // stamps are square: equals no drawn symbol
	}
	b := Bound{Outcome: binding.Check(file, p, m)}
	switch b.State {
	case binding.Appended:
		b.Detail = caveat.Added(file, int64(len(file))-b.AppendedBytes)
		b.Caveats = caveat.Of(file)
	case binding.Match:
		b.Caveats = caveat.Of(file)
	}
	return b
}
