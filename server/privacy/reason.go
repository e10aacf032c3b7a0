package privacy

import (
	"slices"

	"tcode/server/fault"
)

// Reason is why a record is erased. It is a word of a table and no free text: the audit log
// keeps it forever, and has no names.
type Reason string

// The reasons, as data protection laws know them.
const (
	Asked     Reason = "asked"     // the person wants it
	Unneeded  Reason = "unneeded"  // the purpose is over
	Withdrawn Reason = "withdrawn" // the person withdrew consent
	Mistaken  Reason = "mistaken"  // the data should not have been taken
	Obliged   Reason = "obliged"   // a law or a court demands it
)

// Reasons returns all reasons in a fixed order.
func Reasons() []Reason { return []Reason{Asked, Unneeded, Withdrawn, Mistaken, Obliged} }

// check returns a fault if r is neither a reason nor "".
func (r Reason) check() error {
	if r == "" || slices.Contains(Reasons(), r) {
		return nil
	}
	var p fault.Fields
	p.Add("reason", "no such reason")
	return p.Err()
}
