package prepared

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Viewers are the programs in which people read the files, in the order of all
// results.
var Viewers = [4]string{"poppler", "mupdf", "pdfium", "pdfjs"}

// Words for the display of a viewer, in addition to the names of [References].
const (
	NoPage = "no-page" // the viewer refuses the file, or crashes
	Odd    = "odd-"    // with a letter: pictures of one file with the same letter are alike
)

// A Shown holds the displays of a file in the order of [Viewers]: the name of a
// reference, or [NoPage], or [Odd] and a letter.
type Shown [4]string

// Differ reports whether two viewers that show a page show different contents.
func (s Shown) Differ() bool {
	words := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(s[:]))), func(w string) bool { return w == NoPage })
	return len(words) > 1
}

// References returns ordinary files by the name of their display.
func References() map[string][]byte {
	page := func(contents string) []byte { return doc{contents: contents}.pdf() }
	return map[string][]byte{
		"100":   page(honest),
		"900":   page(other),
		"blank": page(" "),
		"both":  page(honest + " " + other),    // over each other
		"black": page(honest + " 0 g" + box),   // nothing can be read
		"draft": page(honest + " " + drafted),  // and the amount
		"rest":  page(show("Pay   00 EUR")),    // without the first digit
		"gray":  page(honest + " 0.5 g" + box), // nothing can be read
	}
}

const drafted = "BT /F 24 Tf 72 650 Td (DRAFT) Tj ET"

//go:embed shown.tsv
var table string

// Table returns the displays of each of [Files], by name, as
// cmd/internal/viewers found them when the table was made.
func Table() (map[string]Shown, error) { return Parse(table) }

// Parse reads a table that [Format] wrote.
func Parse(text string) (map[string]Shown, error) {
	out := map[string]Shown{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 1+len(Viewers) {
			return nil, fmt.Errorf("line %q has %d cells, want %d", line, len(cells), 1+len(Viewers))
		}
		out[cells[0]] = Shown(cells[1:])
	}
	return out, nil
}

// Format writes a table: a line for each file with its name and the words of the
// viewers between tabs, sorted.
func Format(all map[string]Shown) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		words := all[name]
		fmt.Fprintf(&b, "%s\t%s\n", name, strings.Join(words[:], "\t"))
	}
	return b.String()
}
