package twofold

import (
	"fmt"
	"strings"
)

// A State is what Open did with a copy.
type State int

// States of a copy.
const (
	// Kept is a copy that was as the other one.
	Kept State = iota
	// Rebuilt is a copy that was lost, older, damaged or different, and was written again.
	Rebuilt
	// Unused is a copy that takes no commits until the next Open.
	Unused
)

// A Fate is the outcome of Open for one copy.
type Fate struct {
	Name    string // of the copy
	State   State
	Reason  string // why it is not Kept
	Written int    // records that were written or removed in it
}

// A Report says what Open found.
type Report struct {
	Copies [2]Fate
	// Lost means that neither copy was whole: everything that could be read in either is there, but acknowledged records may be missing.
	Lost bool
	// Owed means that the copies are not whole or not equal, and that there was no room to change that: all is as in the copies, and the
	// first commit that has room makes one of them whole.
	Owed bool
	// Aside is the number of records of another store that were found and set aside, because this one has others under their keys.
	// The copies keep them; Load does not show them.
	Aside int
}

// Count returns in how many copies each commit is: 1 or 2.
func (r Report) Count() int {
	n := 0
	for _, f := range r.Copies {
		if f.State != Unused {
			n++
		}
	}
	return n
}

// String returns one line in English.
func (r Report) String() string {
	var b strings.Builder
	b.WriteString("two copies")
	if r.Count() < 2 {
		b.Reset()
		b.WriteString("one copy")
	}
	for _, f := range r.Copies {
		switch f.State {
		case Rebuilt:
			fmt.Fprintf(&b, "; %s was rebuilt (%s), %d records", f.Name, f.Reason, f.Written)
		case Unused:
			fmt.Fprintf(&b, "; no %s (%s)", f.Name, f.Reason)
		}
	}
	if r.Lost {
		b.WriteString("; neither was whole, so records may be lost")
	}
	if r.Owed {
		b.WriteString("; there was no room to make it whole")
	}
	if r.Aside > 0 {
		fmt.Fprintf(&b, "; %d records set aside", r.Aside)
	}
	return b.String()
}
