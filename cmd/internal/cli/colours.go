package cli

import (
	"io"
	"os"
)

// Colours reports whether w is a terminal that shows colours and whose user has not refused them (NO_COLOR, no-color.org). On
// Windows it asks the console to obey escape sequences; an old one does not.
func Colours(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && IsTerminal(f) && os.Getenv("NO_COLOR") == "" && obeysEscapes(f)
}
