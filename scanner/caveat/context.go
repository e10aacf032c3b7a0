package caveat

// These codes of caveats do not follow from the bytes of one file. They are frozen as the
// others are.
const (
	Rendering   = "rendering"    // two engines draw it differently
	NotCompared = "not_compared" // two engines should have drawn it, and did not draw all of it
	Stamps      = "stamps"       // another stamp in the file does not count
	FileName    = "name"         // the name is that of another kind of file
	Before      = "before"       // bytes stand before the header of a PDF that is not the stamped file
)
