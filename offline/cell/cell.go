// Package cell writes text into CSV files for spreadsheets, which compute what looks like a formula.
// [Inert] is for every cell that a person or a device wrote.
package cell

import "strings"

// spreadsheets compute a cell that begins with one of these, also behind white
// space and in their full-width forms; tabs and line ends move text into other
// cells in some of them.
const (
	computing = "=+-@\uff1d\uff0b\uff0d\uff20"
	splitting = "\t\r\n"
	skipped   = " \t\r\n\v\f\u00a0\ufeff"
)

// Inert returns a cell for a CSV file that no spreadsheet computes: it writes an
// apostrophe before text that looks like a formula. A negative number stays one. [Plain] removes the
// apostrophe again, so that a file that was written with Inert can be corrected and sent once more.
func Inert(cell string) string {
	if dangerous(strings.TrimLeft(cell, "'")) {
		return "'" + cell
	}
	return cell
}

// row returns the cells of a row, each as [Inert] returns it.
func row(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = Inert(c)
	}
	return out
}

// Plain is the inverse of [Inert].
func Plain(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && dangerous(strings.TrimLeft(rest, "'")) {
		return rest
	}
	return cell
}

// negative reports whether a cell is a negative number in digits, with or without a fraction, which
// every spreadsheet takes for itself.
func negative(cell string) bool {
	digits, ok := strings.CutPrefix(cell, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	number := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return ok && number(whole) && (!point || number(fraction))
}

func dangerous(cell string) bool {
	if cell == "" || negative(cell) {
		return false
	}
	if strings.IndexByte(splitting, cell[0]) >= 0 {
		return true
	}
	for _, first := range strings.TrimLeft(cell, skipped) {
		return strings.ContainsRune(computing, first)
	}
	return false
}
