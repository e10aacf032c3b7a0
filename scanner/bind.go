package scanner

import (
	"slices"
	"sync"

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

// A Binder says of stamps whether they belong to one file. Caveats are the same for all of them and looked for once. It
// is safe for concurrent use; the file must not change.
type Binder struct {
	file    []byte
	pdf     bool
	caveats func() []caveat.Caveat
}

// NewBinder returns a Binder for file, which is looked at as the renderer does, by content: the bytes that are judged
// are those that were shown.
func NewBinder(file []byte) *Binder {
	return &Binder{file, raster.Sniff(file) == raster.PDF, sync.OnceValue(func() []caveat.Caveat { return caveat.Of(file) })}
}

// aheadBytes bounds the files that [Binder.Ahead] looks at: in vain that costs a tenth of a second at most.
const aheadBytes = 1 << 20

// Ahead looks for caveats from now on, beside the reading of the file: nearly every file with a mark needs them. The
// returned function waits until nothing uses the file any more.
func (b *Binder) Ahead() (wait func()) {
	if !b.pdf || len(b.file) > aheadBytes || len(binding.Marks(b.file)) == 0 {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // Bind panics anew, where its caller can catch it
		b.caveats()
	}()
	return func() { <-done }
}

// Bind says whether p, read from sym, belongs to the file (DESIGN section 4, "Document binding"). Only a PDF can answer;
// for images, which is what paper becomes, the outcome is NotChecked.
//
// The detail of what was appended, and the caveats, are for people: they say what the bytes claim.
func (b *Binder) Bind(p payload.Payload, sym Symbol) Bound {
	if !b.pdf {
		return Bound{Outcome: binding.Outcome{
			State: binding.NotChecked, Code: binding.CodeNoMark,
			Detail: "an image does not hold the bytes that were stamped",
		}}
	}
	m := binding.Modules{Side: sym.Rows, Dark: sym.Dark}
	if sym.Rows != sym.Cols || len(sym.Dark) != sym.Rows*sym.Cols {
		m = binding.Modules{} // stamps are square: equals no drawn symbol
	}
	bound := Bound{Outcome: binding.Check(b.file, p, m)}
	switch bound.State {
	case binding.Appended:
		bound.Detail = caveat.Added(b.file, int64(len(b.file))-bound.AppendedBytes)
		bound.Caveats = slices.Clone(b.caveats())
	case binding.Match:
		bound.Caveats = slices.Clone(b.caveats())
	}
	return bound
}

// Bind is what a [Binder] says of one stamp.
func Bind(file []byte, p payload.Payload, sym Symbol) Bound {
	return NewBinder(file).Bind(p, sym)
}
