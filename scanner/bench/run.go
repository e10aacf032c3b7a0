package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/bench/score"
)

// dmtxVariants are the variants that libdmtx reads by default: it takes seconds where it
// finds nothing.
var dmtxVariants = []string{"clean", "persp", "damage"}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	p := &teller{w: progress}
	defer p.end()
	switch {
	case o.bent:
		return bends(ctx, o, out, p)
	case o.photos > 0:
		return photos(ctx, o, out, p)
	}
	rows, err := measure(ctx, o, p)
	if err != nil {
		return err
	}
	var sets []score.Set
	if o.sets {
		if sets, err = realSets(ctx, o, p); err != nil {
			return err
		}
	}
	var none []score.Nothing
	if o.nothing {
		if none, err = nothing(ctx, o, rows, p); err != nil {
			return err
		}
	}
	var cam []*score.Frames
	if slices.Contains(o.peers, readers.Own) && slices.Contains(o.peers, readers.Wasm) && o.frames {
		if cam, err = frames(ctx, o, rows, p); err != nil {
			return err
		}
	}
	p.end()
	if o.save != "" {
		if err := savePictures(o, rows); err != nil {
			return err
		}
	}
	bars := score.Bars(rows, sets, o.variants)
	bars = append(bars, score.NothingBars(none)...)
	for _, f := range cam {
		bars = append(bars, f.Bars()...)
	}
	if o.json {
		enc := json.NewEncoder(out)
		enc.SetIndent("", " ")
		return enc.Encode(report{o.seed, o.pages, sets, none, bars, pageLines(rows, o.peers)})
	}
	return print(out, o, rows, sets, none, bars)
}

// print writes the tables and lists for people.
func print(out io.Writer, o options, rows []score.Row, sets []score.Set, none []score.Nothing, bars []score.Bar) error {
	kept := 0
	for _, r := range rows {
		for _, res := range r.Results {
			if res.Kept {
				kept++
			}
		}
	}
	if _, err := fmt.Fprintf(out, "seed %d, %d base pages, %d images; %d results of an earlier run\n", o.seed, o.pages, len(rows), kept); err != nil {
		return err
	}
	if err := score.Tables(out, rows, o.variants, o.peers); err != nil {
		return err
	}
	if len(sets) > 0 {
		if err := score.PrintSets(out, sets, setReaders(o)); err != nil {
			return err
		}
	}
	if len(none) > 0 {
		if err := score.PrintNothing(out, none, setReaders(o)); err != nil {
			return err
		}
	}
	if slices.Contains(o.peers, readers.Own) {
		if err := score.Missed(out, rows, readers.Own); err != nil {
			return err
		}
		return score.PrintBars(out, bars)
	}
	return nil
}

// config describes the pages that o asks for.
func (o *options) config(p *teller) pages.Config {
	return pages.Config{
		PDFs: o.pdfs, Cache: o.cache, Seed: o.seed,
		Pages: o.pages, Variants: o.variants, Jobs: o.jobs, Tell: p.tell,
	}
}

// measure makes the pages and has every reader read them.
func measure(ctx context.Context, o options, p *teller) ([]score.Row, error) {
	c := o.config(p)
	truths, err := pages.Make(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("make pages: %w", err)
	}
	rows := make([]score.Row, len(truths))
	at := map[string]int{}
	for i, t := range truths {
		rows[i] = score.Row{Truth: t, Results: map[string]readers.Result{}}
		at[t.ID] = i
	}
	for _, name := range o.peers {
		var items []readers.Item
		for _, t := range truths {
			if o.looks(name, t) {
				v, _ := pages.Find([]string{t.Variant}) // the name comes from pages.Variants
				items = append(items, readers.Item{ID: t.ID, File: c.File(t.ID), Invert: v[0].Inverted})
			}
		}
		done := 0
		err := o.reader(name, filepath.Dir(c.File("x")))(ctx, items, func(r readers.Result) {
			done++
			p.tell(fmt.Sprintf("%s reads %d/%d", name, done, len(items)))
			rows[at[r.ID]].Results[name] = r
		})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// looks reports whether a reader gets a page. wasm-rgba gets only pages of A4 size at 200
// dpi, for its time: it reads the same as wasm.
func (o *options) looks(reader string, t pages.Truth) bool {
	switch reader {
	case readers.Dmtx:
		return o.dmtxAll || slices.Contains(dmtxVariants, t.Variant)
	case readers.WasmRGBA:
		return t.DPI == 200 && (t.Variant == "clean" || t.Variant == pages.Empty)
	}
	return true
}

// reader returns a reader by name. The results of other projects' readers are kept in folder.
func (o *options) reader(name, folder string) readers.Reader {
	var r readers.Reader
	switch name {
	case readers.Own:
		return readers.OwnReader
	case readers.Wasm:
		r = readers.WasmReader(o.peerDir, false)
	case readers.WasmRGBA:
		r = readers.WasmReader(o.peerDir, true)
	case readers.Gozxing:
		r = readers.GozxingReader
	case readers.Native:
		r = readers.NativeReader
	default:
		r = readers.DmtxReader(o.dmtxMax)
	}
	if o.fresh {
		return r
	}
	return readers.Keep(filepath.Join(folder, "read-"+name+".json"), r)
}

// fresher returns the same options, but the other readers do not use results of earlier runs.
func (o options) fresher() *options {
	o.fresh = true
	return &o
}

// teller writes progress, each message over the one before.
type teller struct {
	w    io.Writer
	open bool
}

func (t *teller) tell(s string) {
	_, _ = fmt.Fprintf(t.w, "\r\x1b[K%s", s) // progress only
	t.open = true
}

func (t *teller) end() {
	if t.open {
		_, _ = fmt.Fprintln(t.w)
	}
	t.open = false
}
