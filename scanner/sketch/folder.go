package sketch

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"tcode/scanner"
)

// ErrNotEmpty means that a folder for pictures already has files.
var ErrNotEmpty = errors.New("the folder is not empty")

// A Folder takes the pictures of everything that one run of a program reads. It is safe
// for concurrent use.
type Folder struct {
	dir string

	mu    sync.Mutex // guards all below, and allows one drawing at a time, because pictures take memory
	looks map[string]int
	list  []look
	err   error
}

// look is one entry of read.json: an image that was read.
type look struct {
	Document string     `json:"document"`
	Page     int        `json:"page"`
	Look     int        `json:"look"` // at this page, from 1
	Picture  string     `json:"picture"`
	PX       [2]int     `json:"px"` // width, height
	DPI      float64    `json:"dpi,omitempty"`
	Symbols  int        `json:"symbols"`
	Reason   string     `json:"reason,omitempty"` // code
	Message  string     `json:"message,omitempty"`
	Boxes    []boxEntry `json:"boxes"`
	Tries    []tryEntry `json:"tries"`
}

type boxEntry struct {
	Kind       scanner.BoxKind `json:"kind"`
	Rect       [4]int          `json:"rect"` // left, top, right, bottom, px
	Score      float64         `json:"score"`
	Order      int             `json:"order"` // from 1; 0: not searched
	Candidates int             `json:"candidates"`
}

type tryEntry struct {
	Picture   string        `json:"picture,omitempty"` // of the best only
	Modules   [2]int        `json:"modules"`           // rows, columns
	Corners   [4][2]float64 `json:"corners"`           // px
	ModulePx  float64       `json:"modulePx"`
	Score     float64       `json:"score"`
	Box       int           `json:"box"` // index in boxes; -1: none
	Misfits   int           `json:"misfits"`
	Fixed     int           `json:"fixed"`
	Doubtful  int           `json:"doubtful"`
	Corrected int           `json:"corrected"`
	Error     string        `json:"error,omitempty"` // absent: read
}

// New returns a Folder at dir, which it makes if it does not exist. It never overwrites
// files in it: the error for a folder with files is [ErrNotEmpty].
func New(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder for pictures: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look into the folder for pictures: %w", err)
	}
	if len(entries) > 0 {
		return nil, &fs.PathError{Op: "write pictures to", Path: dir, Err: ErrNotEmpty}
	}
	return &Folder{dir: dir, looks: map[string]int{}}, nil
}

// Watch returns the value of Watch in [scanner.Options]. All file names begin with prefix;
// document is the name that people see.
func (f *Folder) Watch(prefix, document string) func(*scanner.Trace) {
	return func(t *scanner.Trace) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.err == nil {
			f.err = f.draw(prefix, document, t)
		}
	}
}

// Close writes read.json and returns the first error of all pictures.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	raw, err := json.MarshalIndent(f.list, "", "\t")
	if err == nil {
		err = os.WriteFile(filepath.Join(f.dir, "read.json"), append(raw, '\n'), 0o644)
	}
	return errors.Join(f.err, err)
}

func (f *Folder) draw(prefix, document string, t *scanner.Trace) error {
	base := fmt.Sprintf("%spage-%03d", prefix, max(t.Page, 1))
	f.looks[base]++
	n := f.looks[base]
	title := fmt.Sprintf("%s, page %d", document, max(t.Page, 1))
	if n > 1 {
		base += fmt.Sprintf("-look-%d", n)
		title += fmt.Sprintf(", look %d", n)
	}
	l := look{
		Document: document, Page: max(t.Page, 1), Look: n, Picture: base + ".png",
		PX: [2]int{t.Image.Width, t.Image.Height}, DPI: t.DPI, Symbols: len(t.Reading.Symbols),
		Reason: t.Reading.Reason.Code, Message: t.Reading.Reason.Message, Boxes: []boxEntry{}, Tries: []tryEntry{},
	}
	for i := range t.Boxes {
		b := &t.Boxes[i]
		l.Boxes = append(l.Boxes, boxEntry{b.Kind, [4]int{b.Rect.X0, b.Rect.Y0, b.Rect.X1, b.Rect.Y1}, b.Score, b.Order, len(b.Candidates)})
	}
	for i := range t.Tries {
		l.Tries = append(l.Tries, entryOf(&t.Tries[i]))
	}
	if err := f.write(l.Picture, page(t, title)); err != nil {
		return err
	}
	for k, i := range tries(t) {
		l.Tries[i].Picture = fmt.Sprintf("%s-try-%02d.png", base, k+1)
		if err := f.write(l.Tries[i].Picture, grid(t, &t.Tries[i], fmt.Sprintf("%s, try %d", title, k+1))); err != nil {
			return err
		}
	}
	f.list = append(f.list, l)
	return nil
}

func entryOf(try *scanner.TraceTry) tryEntry {
	c, n := &try.Candidate, count(try)
	e := tryEntry{
		Modules: [2]int{c.Size.Rows, c.Size.Cols}, ModulePx: c.Module(), Score: c.Score, Box: try.Box,
		Misfits: n.misfits, Fixed: n.fixed, Doubtful: n.doubtful, Corrected: n.corrected,
	}
	for i, p := range c.Corners {
		e.Corners[i] = [2]float64{p.X, p.Y}
	}
	if try.Err != nil {
		e.Error = try.Err.Error()
	}
	return e
}

func (f *Folder) write(name string, c canvas) error {
	w, err := os.OpenFile(filepath.Join(f.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = png.Encode(w, c)
	return errors.Join(err, w.Close())
}
