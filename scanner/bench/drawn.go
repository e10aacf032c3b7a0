package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/bench/score"
	"tcode/scanner/gray"
)

// drawn is a set of images with one symbol each that the bench makes in memory, in groups.
type drawn struct {
	title, first string // of the table, and of its first column
	groups       []string
	each         []picture
	draw         func(i int) *gray.Image // the picture of each[i]
}

// A picture is one image of a set and its truth.
type picture struct {
	id, group, text string
}

// drawnPeers are the readers that read drawn sets, in the order of the columns.
func drawnPeers(o options) (out []string) {
	for _, p := range o.peers {
		if p == readers.Own || p == readers.Wasm {
			out = append(out, p)
		}
	}
	if readers.HasNative() {
		out = append(out, readers.Native)
	}
	return out
}

// run has all readers read the set, prints the table and saves the misses of our reader.
func (d *drawn) run(ctx context.Context, o options, out io.Writer, p *teller) error {
	dir, err := os.MkdirTemp("", "tcode-bench-drawn-")
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears its temporary folder too
	items, err := d.save(ctx, dir, p)
	if err != nil {
		return err
	}
	groups, at := make([]*score.Group, len(d.groups)), map[string]*score.Group{}
	for i, name := range d.groups {
		groups[i] = score.NewGroup(name)
		at[name] = groups[i]
	}
	names := drawnPeers(o)
	by := make(map[string][]string) // the readers of each image
	for _, name := range names {
		n := 0
		err := o.fresher().reader(name, "")(ctx, items, func(r readers.Result) {
			e := d.each[n]
			n++
			p.tell(fmt.Sprintf("%s reads %d/%d", name, n, len(items)))
			at[e.group].Judge(name, e.text, r)
			if r.Read && r.Text == e.text {
				by[e.id] = append(by[e.id], name)
			}
			if r.Code == readers.Panicked {
				p.end()
				_, _ = fmt.Fprintln(p.w, e.id, "ended our reader:", r.Message) // progress only
			}
		})
		if err != nil {
			return err
		}
	}
	p.end()
	if err := d.keep(o, by); err != nil {
		return err
	}
	if o.json {
		enc := json.NewEncoder(out)
		enc.SetIndent("", " ")
		return enc.Encode(groups)
	}
	return score.PrintGroups(out, d.title, d.first, groups, names)
}

// save writes all images of the set to dir.
func (d *drawn) save(ctx context.Context, dir string, p *teller) ([]readers.Item, error) {
	items := make([]readers.Item, len(d.each))
	for i, e := range d.each {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p.tell(fmt.Sprintf("draw images %d/%d", i+1, len(items)))
		items[i] = readers.Item{ID: e.id, File: filepath.Join(dir, e.id+".pgm.gz")}
		if err := pages.Save(items[i].File, d.draw(i)); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// keep writes the images that our reader does not read as PNG, if a folder is given. The
// name tells which other readers read them.
func (d *drawn) keep(o options, by map[string][]string) error {
	if o.save == "" {
		return nil
	}
	if err := os.MkdirAll(o.save, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	for i, e := range d.each {
		name := e.id
		own := false
		for _, r := range by[e.id] {
			own = own || r == readers.Own
			name += "-" + r
		}
		if own {
			continue
		}
		if err := writePNG(filepath.Join(o.save, name+".png"), d.draw(i)); err != nil {
			return err
		}
	}
	return nil
}
