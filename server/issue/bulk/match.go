package bulk

import "tcode/server/issue/bulk/intake"

// Unmatched are the names that rows and archive do not have in common, for a person who
// compares them.
type Unmatched struct {
	Rows      []UnmatchedName `json:",omitempty"` // files of rows that are not in the archive
	Files     []UnmatchedName `json:",omitempty"` // files of the archive that no row names
	MoreRows  int             `json:",omitempty"` // beyond those in Rows
	MoreFiles int             `json:",omitempty"` // beyond those in Files
}

// MaxUnmatched is the limit on each list of [Unmatched].
const MaxUnmatched = 100

// An UnmatchedName is one of them.
type UnmatchedName struct {
	Line    int    `json:",omitempty"` // of the row in the CSV file; 0: it is a file
	Name    string // at most maxFileName characters
	Nearest string `json:",omitempty"` // the one of the other list that looks most like it
}

// maxFileName is the limit on shown names in characters. File systems allow 255 bytes.
const maxFileName = 255

// missing is the file of a row that the archive does not have.
type missing struct {
	line    int
	name    string
	problem int // position in the list of problems
}

// match compares the names that rows and archive do not have in common, and says in the
// problems which file may be meant. Unless all rows were read, no file is unused for certain.
func (c *check) match(all bool) {
	unused := c.unused()
	if !all {
		unused = nil
	}
	near := intake.NewNames(unused)
	var names []string
	for i, m := range c.missing {
		names = append(names, m.name)
		if i >= MaxUnmatched {
			c.unmatched.MoreRows++
			continue
		}
		nearest := near.Nearest(m.name)
		if nearest != "" {
			c.problems.Suggest(m.problem, shown(nearest))
		}
		c.unmatched.Rows = append(c.unmatched.Rows, UnmatchedName{m.line, shown(m.name), shown(nearest)})
	}
	near = intake.NewNames(names)
	for i, name := range unused {
		if i >= MaxUnmatched {
			c.unmatched.MoreFiles++
			continue
		}
		c.unmatched.Files = append(c.unmatched.Files, UnmatchedName{0, shown(name), shown(near.Nearest(name))})
	}
}

func shown(name string) string { return intake.Beginning(name, maxFileName) }

// unused returns the files of the archive that no row names.
func (c *check) unused() (left []string) {
	used := make([]bool, c.archive.Len())
	for _, f := range c.files {
		if f.at != noFile {
			used[f.at] = true
		}
	}
	for i := range used {
		if !used[i] {
			left = append(left, c.archive.Name(i))
		}
	}
	return left
}
