package score

import (
	"fmt"
	"io"
	"text/tabwriter"

	"tcode/scanner/bench/readers"
)

// A Set is a folder of real images with the results of the readers.
type Set struct {
	Name   string           `json:"name"`
	Counts map[string]Count `json:"counts"`           // by reader
	Panics []string         `json:"panics,omitempty"` // images that ended the reader
	Notes  []string         `json:"notes"`            // images not read or read wrongly, with the reader
}

// Expectation is the expected text of an image of a set.
type Expectation struct {
	Text  string
	Known bool // false: any text is right
	None  bool // nothing may be read
}

// Judge counts one result of a real image. A U+FFFD in the text of our reader stands for a
// character of a charset that it does not know; it is no wrong read.
func (s *Set) Judge(reader, image string, want Expectation, got readers.Result) {
	c := s.Counts[reader]
	c.Pages++
	if got.Code == readers.Panicked {
		s.Panics = append(s.Panics, s.Name+"/"+image+" "+got.Message)
	}
	switch {
	case !got.Read:
		if !want.None {
			s.Notes = append(s.Notes, fmt.Sprintf("%s: %s not read %s", reader, image, got.Code))
		}
	case want.None || want.Known && !same(got.Text, want.Text):
		c.Wrong++
		s.Notes = append(s.Notes, fmt.Sprintf("%s: %s read as %.40q, want %.40q", reader, image, got.Text, want.Text))
	default:
		c.Read++
	}
	s.Counts[reader] = c
}

// same compares texts; a U+FFFD in got matches any one character.
func same(got, want string) bool {
	a, b := []rune(got), []rune(want)
	if len(a) != len(b) {
		return false
	}
	for i, c := range a {
		if c != b[i] && c != '\uFFFD' {
			return false
		}
	}
	return true
}

// PrintSets prints the images read and the total of each set.
func PrintSets(w io.Writer, sets []Set, names []string) error {
	t := tabwriter.NewWriter(w, 0, 1, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\nREAL IMAGES\nset\timages\t")
	for _, n := range names {
		fmt.Fprintf(t, "%s\twrong\tCPU ms\t", n)
	}
	fmt.Fprintln(t)
	for _, s := range sets {
		fmt.Fprintf(t, "%s\t%d\t", s.Name, s.Counts[names[0]].Pages)
		for _, n := range names {
			fmt.Fprintf(t, "%d\t%d\t%.1f\t", s.Counts[n].Read, s.Counts[n].Wrong, s.Counts[n].CPUms)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range sets {
		for _, n := range s.Notes {
			if _, err := fmt.Fprintf(w, "  %s %s\n", s.Name, n); err != nil {
				return err
			}
		}
	}
	return nil
}
