// Package binder relates the stamps of a file to its bytes. Call [New], then [Binder.Check] for each stamp.
//
//	file ─▶ kind, by content ─▶ marks, fingerprint, hole (offline/binding) ─▶ Outcome
//	  └──────────────────────▶ package caveat ─▶ why the bytes do not settle the display
//
// Nothing is drawn, so the package serves programs without a renderer too.
package binder

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"tcode/offline/astext"
	"tcode/offline/binding"
	"tcode/offline/contain"
	"tcode/offline/payload"
	"tcode/scanner/caveat"
	"tcode/scanner/filekind"
	"tcode/scanner/symbol"
)

// A Bound is the relation of a stamp to the file that it was read from.
type Bound struct {
	binding.Outcome
	Caveats []caveat.Caveat // with Match and Appended: why the bytes do not settle the display
}

// A Binder tells whether stamps belong to one file. Caveats are the same for all of them and searched once. It
// is safe for concurrent use; the file must not change.
type Binder struct {
	file    []byte
	kind    filekind.Kind
	pdf     bool
	caveats func() []caveat.Caveat
	changed func() string
}

// New returns a Binder for file. It detects the type as the renderer does, by content: the bytes that are judged
// are those that were shown.
func New(file []byte) *Binder {
	kind := filekind.Of(file)
	b := &Binder{file: file, kind: kind, pdf: kind == filekind.PDF}
	b.caveats = sync.OnceValue(func() []caveat.Caveat { return caveat.Of(file) })
	b.changed = sync.OnceValue(func() string {
		damage, found := astext.Of(file)
		if !b.pdf || !found {
			return ""
		}
		return fmt.Sprintf("the file was changed as text on its way: its bytes %s", damage.How)
	})
	return b
}

// Changed says, as a clause, how the file, a PDF, was changed as text on its way; empty: it was not. Such a file has lost
// what its pages show, and shows no stamp.
func (b *Binder) Changed() string { return b.changed() }

// aheadBytes bounds the files that [Binder.Ahead] searches: a search in vain costs a tenth of a second at most.
const aheadBytes = 1 << 20

// Ahead searches for caveats from now on, concurrently with the reading of the file: nearly every file with a mark needs them. One
// whose stamp says that it is plain does not, if the stamp turns out to be good. The returned function waits until
// nothing uses the file any more.
func (b *Binder) Ahead() (wait func()) {
	if !b.pdf || len(b.file) > aheadBytes {
		return func() {}
	}
	if marks := binding.Marks(b.file); len(marks) == 0 || b.saysPlain(marks[len(marks)-1]) {
		return func() {}
	}
	done := contain.Start("caveats", func() error {
		b.caveats() // after a panic Bind panics again, where its caller can catch it
		return nil
	})
	return sync.OnceFunc(func() { <-done })
}

// saysPlain reports whether the stamp of mark k claims that the whole file is plain. Nothing is checked.
func (b *Binder) saysPlain(k binding.Mark) bool {
	if k.End != int64(len(b.file)) {
		return false
	}
	sym, ok := symbol.Drawn(b.file, k)
	if !ok {
		return false
	}
	raw, err := payload.DecodeText(sym.Text)
	if err != nil {
		return false
	}
	p, err := payload.Parse(raw)
	return err == nil && p.Plain
}

// Kind is the kind of file that is judged, by its content.
func (b *Binder) Kind() filekind.Kind { return b.kind }

// Caveats say why the bytes of the file, a PDF, do not settle the display. The result is the caller's own.
func (b *Binder) Caveats() []caveat.Caveat { return slices.Clone(b.caveats()) }

// Bind is [Binder.Check], with the caveats of a file that is bound.
func (b *Binder) Bind(p payload.Payload, sym symbol.Symbol) Bound {
	bound := Bound{Outcome: b.Check(p, sym)}
	if bound.State == binding.Match || bound.State == binding.Appended {
		bound.Caveats = b.Caveats()
	}
	return bound
}

// Check says whether p, read from sym, belongs to the file (offline/binding/FORMAT.md). Only a PDF can answer; for
// images, such as scanned paper, the outcome is NotChecked.
//
// The detail of appended bytes is for people: it repeats the claims of these bytes.
func (b *Binder) Check(p payload.Payload, sym symbol.Symbol) binding.Outcome {
	if !b.pdf {
		return binding.Outcome{
			State: binding.NotChecked, Code: binding.CodeNoMark,
			Detail: "an image does not hold the bytes that were stamped",
		}
	}
	m := binding.Modules{Side: sym.Rows, Dark: sym.Dark}
	if sym.Rows != sym.Cols || len(sym.Dark) != sym.Rows*sym.Cols {
		m = binding.Modules{} // stamps are square: equals no drawn symbol
	}
	outcome := binding.Check(b.file, p, m)
	switch outcome.State {
	case binding.Mismatch:
		outcome.Detail = cmp.Or(b.Changed(), outcome.Detail)
	case binding.Appended:
		outcome.Detail = caveat.Added(b.file, int64(len(b.file))-outcome.AppendedBytes)
	}
	return outcome
}

// Bind returns the answer of a [Binder] about one stamp.
func Bind(file []byte, p payload.Payload, sym symbol.Symbol) Bound {
	return New(file).Bind(p, sym)
}
