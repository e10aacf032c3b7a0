package bulk

import (
	"time"

	"tcode/server/fault"
)

// Functions that black-box tests cannot reach at reasonable cost.

// Blame is Layout.blame.
func Blame(l Layout, f *fault.Fault, cells map[string]string) map[string][]string {
	said := &fault.Fault{Fields: l.blame(f, l.entry(cells, nil))}
	return said.Texts()
}

// EntryOf is Layout.entry.
func EntryOf(l Layout, cells map[string]string) Entry { return l.entry(cells, nil) }

// ResultName returns the name of a row's PDF in the archive.
var ResultName = resultName

// HurryRows gives each row of s less time.
func HurryRows(s *Service, d time.Duration) { s.rowTime = d }
