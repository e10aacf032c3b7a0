package score

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"tcode/scanner/bench/readers"
)

// A Group is the counts of all readers over images of one kind.
type Group struct {
	Name   string           `json:"name"`
	Images int              `json:"images"`
	Ideal  int              `json:"ideal"`  // images that a reader with the true grid would read
	Counts map[string]Count `json:"counts"` // by reader
	times  map[string][]float64
}

// NewGroup returns a group without images.
func NewGroup(name string) *Group {
	return &Group{Name: name, Counts: map[string]Count{}, times: map[string][]float64{}}
}

// Judge counts the result of one reader for an image with a symbol of the text want.
func (g *Group) Judge(reader, want string, got readers.Result) {
	c := g.Counts[reader]
	c.Pages++
	switch {
	case got.Read && got.Text == want:
		c.Read++
	case got.Read:
		c.Wrong++
	}
	g.times[reader] = append(g.times[reader], got.CPUms)
	c.CPUms = Median(g.times[reader])
	g.Counts[reader] = c
	g.Images = max(g.Images, c.Pages)
}

// PrintGroups prints the images read, the wrong texts and the median time of each reader, a
// line for each group, and a last line for all. The groups in which our reader reads less
// than another one follow.
func PrintGroups(w io.Writer, title, first string, groups []*Group, names []string) error {
	t := tabwriter.NewWriter(w, 0, 1, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\n%s\n%s\timages\tideal\t", title, first)
	for _, n := range names {
		fmt.Fprintf(t, "%s\twrong\tCPU ms\t", n)
	}
	fmt.Fprintln(t)
	all := NewGroup("all")
	for _, g := range groups {
		all.Images, all.Ideal = all.Images+g.Images, all.Ideal+g.Ideal
		for _, n := range names {
			c := all.Counts[n]
			c.Read, c.Wrong = c.Read+g.Counts[n].Read, c.Wrong+g.Counts[n].Wrong
			all.times[n] = append(all.times[n], g.times[n]...)
			c.CPUms = Median(all.times[n])
			all.Counts[n] = c
		}
	}
	for _, g := range append(groups[:len(groups):len(groups)], all) {
		fmt.Fprintf(t, "%s\t%d\t%d\t", g.Name, g.Images, g.Ideal)
		for _, n := range names {
			fmt.Fprintf(t, "%d\t%d\t%.1f\t", g.Counts[n].Read, g.Counts[n].Wrong, g.Counts[n].CPUms)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, n := range names {
		if n == readers.Own || !slices.Contains(names, readers.Own) {
			continue
		}
		var behind []string
		for _, g := range groups {
			if g.Counts[readers.Own].Read < g.Counts[n].Read {
				behind = append(behind, g.Name)
			}
		}
		if _, err := fmt.Fprintf(w, "%s is behind %s in %d of %d groups %s\n", readers.Own, n, len(behind), len(groups), strings.Join(behind, ", ")); err != nil {
			return err
		}
	}
	return nil
}
