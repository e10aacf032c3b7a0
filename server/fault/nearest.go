package fault

import (
	"slices"
	"strings"
)

// maxNear is the longest name for which a near one is looked up, in bytes.
const maxNear = 40

// plain drops spaces and punctuation.
var plain = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

// PlainName returns a name without case, spaces and punctuation, as languages differ in them.
func PlainName(name string) string { return strings.ToLower(plain.Replace(name)) }

// maxMeant is the number of names that an error suggests at most.
const maxMeant = 3

// Nearest returns the names that a client most likely means by an unknown one, with "or" between
// them; "" if there are none or many. In this order:
//
//	document_type_code  documentTypeCode   the same but for case and punctuation
//	expiryDate          expiresAt          a third of the letters differ at most
//	pdfBase64, title    pdf, documentTitle one name contains the other
func Nearest(names []string, unknown string) string {
	if len(unknown) > maxNear {
		return ""
	}
	given := PlainName(unknown)
	limit := len(given) / 3
	var near, within []string
	for _, known := range slices.Sorted(slices.Values(names)) {
		bare := PlainName(known)
		if far := distance(given, bare); far < limit || far == limit && len(near) == 0 {
			near, limit = []string{known}, far
		} else if far == limit {
			near = append(near, known)
		}
		if contains(given, bare) || contains(bare, given) {
			within = append(within, known)
		}
	}
	if len(near) == 0 {
		near = within
	}
	if len(near) > maxMeant {
		return ""
	}
	return strings.Join(near, " or ")
}

// contains reports whether a long name has a short one in it that is a word.
func contains(long, short string) bool { return len(short) >= 3 && strings.Contains(long, short) }

// distance returns the least number of bytes to insert, remove or change that makes b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal, row[j+1] = row[j+1], min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
