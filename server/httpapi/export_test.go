package httpapi

import (
	"encoding/json"

	"tcode/server/verify"
)

// Black-box tests cannot reach the following at reasonable cost.

// DateRange reads a DateRange.
var DateRange = dateRange

// Answers returns both forms of a result: that of the generated types, and the
// one that the gateway writes.
func Answers(r verify.Result) (generated, written []byte, err error) {
	generated, err = json.Marshal(verification(r))
	if err != nil {
		return nil, nil, err
	}
	written, err = answer(r).append(nil)
	return append(generated, '\n'), written, err
}

// GoesOn reports whether a paged list says that there is another page.
func GoesOn(page, size, total int, lowerBound bool, items int) bool {
	return paging(page, size, total, lowerBound, items).hasNext
}

// Published returns the contract as it is served, in YAML and in JSON.
func Published() (yaml, json []byte, err error) {
	c, err := published()
	return c.yaml, c.json, err
}
