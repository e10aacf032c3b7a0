package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/bench/score"
	"tcode/scanner/gray"
)

// drawn is a set of images with one symbol each that the bench makes itself, in groups.
type drawn struct {
	title, first string // of the table, and of its first column
	groups       []string
	each         []picture
	ideals       []bool // set by save
}

// A picture is one image of a set.
type picture struct {
	id, group, text string
	// draw returns the image, whether a reader with the true grid would read it, and
	// figures for its file.
	draw func(context.Context) (img *gray.Image, ideal bool, figures any, err error)
}

// run has all readers read the set, prints the table and saves the misses of our reader.
func (d *drawn) run(ctx context.Context, o options, out io.Writer, p *teller) error {
	dir, err := os.MkdirTemp("", "tcode-bench-drawn-")
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears its temporary folder too
	items, err := d.save(ctx, o, dir, p)
	if err != nil {
		return err
	}
	groups, at := make([]*score.Group, len(d.groups)), map[string]*score.Group{}
	for i, name := range d.groups {
		groups[i] = score.NewGroup(name)
		at[name] = groups[i]
	}
	for i, e := range d.each {
		if d.ideals[i] {
			at[e.group].Ideal++
		}
	}
	by := make(map[string][]string) // the readers of each image
	for _, name := range o.peers {
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
	if err := d.keep(o, dir, by); err != nil {
		return err
	}
	if o.json {
		enc := json.NewEncoder(out)
		enc.SetIndent("", " ")
		return enc.Encode(groups)
	}
	return score.PrintGroups(out, d.title, d.first, groups, o.peers)
}

// save writes all images of the set and their figures to dir.
func (d *drawn) save(ctx context.Context, o options, dir string, p *teller) ([]readers.Item, error) {
	items := make([]readers.Item, len(d.each))
	d.ideals = make([]bool, len(d.each))
	for i, e := range d.each {
		items[i] = readers.Item{ID: e.id, File: filepath.Join(dir, e.id+".pgm.gz")}
	}
	p.tell(fmt.Sprintf("draw %d images", len(items)))
	return items, pages.Each(ctx, len(items), o.jobs, func(ctx context.Context, i int) error {
		e := d.each[i]
		m, ideal, figures, err := e.draw(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", e.id, err)
		}
		d.ideals[i] = ideal
		raw, err := json.MarshalIndent(figures, "", " ")
		if err != nil {
			return fmt.Errorf("%s: %w", e.id, err)
		}
		if err := os.WriteFile(filepath.Join(dir, e.id+".json"), raw, 0o600); err != nil {
			return fmt.Errorf("write figures: %w", err)
		}
		return pages.Save(items[i].File, m)
	})
}

// keep writes the images that our reader does not read as PNG with their figures, if a
// folder is given. The name tells which other readers read them.
func (d *drawn) keep(o options, dir string, by map[string][]string) error {
	if o.save == "" {
		return nil
	}
	if err := os.MkdirAll(o.save, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	var m gray.Image
	for i, e := range d.each {
		read := by[e.id]
		if slices.Contains(read, readers.Own) && !o.saveAll {
			continue
		}
		name := e.id
		if d.ideals[i] {
			name += "-ideal"
		}
		for _, r := range read {
			name += "-" + r
		}
		if err := pages.Load(filepath.Join(dir, e.id+".pgm.gz"), &m); err != nil {
			return err
		}
		if err := writePNG(filepath.Join(o.save, name+".png"), &m); err != nil {
			return err
		}
		raw, err := os.ReadFile(filepath.Join(dir, e.id+".json"))
		if err != nil {
			return fmt.Errorf("read figures: %w", err)
		}
		if err := os.WriteFile(filepath.Join(o.save, name+".json"), raw, 0o644); err != nil {
			return fmt.Errorf("write figures: %w", err)
		}
	}
	return nil
}
