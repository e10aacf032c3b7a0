package gate

import (
	"maps"
	"slices"
	"strings"

	"tcode/server/fault"
)

// nothingAt returns the fault of an address that the gateway does not have. It names the
// address of the contract that the client may mean:
//
//	/v1/tcode/stamps/      /v1/tcode/stamps         without the slash at the end
//	/V1/TCode/Stamps/{id}  /v1/tcode/stamps/{id}    in lower case
//	/tcode/stamps          /v1/tcode/stamps         with the version
//	/v1/v1/tcode/stamps    /v1/tcode/stamps         with it once
func nothingAt(path string) *fault.Fault {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for len(parts) > 1 && strings.EqualFold(parts[0], "v1") {
		parts = parts[1:]
	}
	doc, _ := source() // which New has read
	for _, known := range slices.Sorted(maps.Keys(doc.Paths)) {
		if matches(strings.Split(strings.TrimPrefix(known, "/v1"), "/")[1:], parts) {
			return fault.New(fault.NotFound, fault.CodeNotFound,
				"there is nothing at this address: did you mean %s?", known)
		}
	}
	return fault.New(fault.NotFound, fault.CodeNotFound, "there is nothing at this address")
}

// matches reports whether the parts of a path are those of one of the contract, in any case.
func matches(known, parts []string) bool {
	return slices.EqualFunc(known, parts, func(k, p string) bool {
		return strings.HasPrefix(k, "{") && p != "" || strings.EqualFold(k, p)
	})
}
