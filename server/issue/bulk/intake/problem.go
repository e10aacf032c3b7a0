package intake

import "fmt"

// A Problem is one thing that is wrong with an uploaded file.
type Problem struct {
	Line    int    // of the CSV file, from 1; 0: the file as a whole, or the archive
	Column  string // name of the column; empty: the line as a whole
	Message string // the problem and its correction, without the offending value
}

// MaxProblems is the limit on reported problems of one upload. A file with more of
// them is wrong in one way many times.
const MaxProblems = 1000

// Problems collects up to [MaxProblems].
type Problems struct {
	List []Problem
	More int // problems beyond those in List
}

// Add notes a problem.
func (p *Problems) Add(line int, column, format string, args ...any) {
	if len(p.List) == MaxProblems {
		p.More++
		return
	}
	p.List = append(p.List, Problem{line, column, fmt.Sprintf(format, args...)})
}

// None reports whether there is no problem.
func (p *Problems) None() bool { return len(p.List) == 0 }
