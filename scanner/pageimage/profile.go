package pageimage

import (
	"encoding/binary"
	"slices"
)

// profile returns the number of components of a colour profile that never turns dark into light (ISO 15076-1,
// clause 7 to 10): its curves rise, and it has no table of colours. For CMYK there is no such profile, so a table is accepted there.
// It returns 0 for any other data.
func profile(data []byte) int {
	const head, entry = 132, 12
	if len(data) < head || string(data[36:40]) != "acsp" {
		return 0
	}
	curves, n := map[string][]string{"GRAY": {"kTRC"}, "RGB ": {"rTRC", "gTRC", "bTRC"}}[string(data[16:20])], 0
	switch string(data[16:20]) {
	case "GRAY":
		n = 1
	case "RGB ":
		n = 3
	case "CMYK":
		return 4
	}
	count := binary.BigEndian.Uint32(data[128:])
	if n == 0 || count > 200 || int(count)*entry > len(data)-head {
		return 0
	}
	rising := map[string]bool{}
	for i := range int(count) {
		tag := data[head+i*entry:]
		name, at, size := string(tag[:4]), binary.BigEndian.Uint32(tag[4:]), binary.BigEndian.Uint32(tag[8:])
		if _, twice := rising[name]; twice || uint64(at)+uint64(size) > uint64(len(data)) {
			return 0
		}
		if name == "A2B0" || name == "A2B1" || name == "A2B2" || name == "D2B0" || name == "D2B1" {
			return 0
		}
		rising[name] = slices.Contains(curves, name) && rises(data[at:at+size])
	}
	for _, name := range curves {
		if !rising[name] {
			return 0
		}
	}
	return n
}

// rises reports whether a curve of a profile has no lower value for a higher one.
func rises(curve []byte) bool {
	if len(curve) < 12 {
		return false
	}
	switch string(curve[:4]) {
	case "curv":
		n := binary.BigEndian.Uint32(curve[8:])
		if uint64(n)*2 > uint64(len(curve)-12) {
			return false
		}
		if n == 1 {
			return binary.BigEndian.Uint16(curve[12:]) > 0
		}
		for i := 1; i < int(n); i++ {
			if binary.BigEndian.Uint16(curve[12+2*i:]) < binary.BigEndian.Uint16(curve[10+2*i:]) {
				return false
			}
		}
		return n == 0 || binary.BigEndian.Uint16(curve[12+2*(n-1):]) > binary.BigEndian.Uint16(curve[12:])
	case "para":
		kind := binary.BigEndian.Uint16(curve[8:])
		numbers := []int{1, 3, 4, 5, 7}
		if int(kind) >= len(numbers) || len(curve) < 12+4*numbers[kind] {
			return false
		}
		at := func(i int) int32 { return int32(binary.BigEndian.Uint32(curve[12+4*i:])) }
		// g and a are above 0, and so is c where the lower part is a line.
		return at(0) > 0 && (kind == 0 || at(1) > 0) && (kind < 3 || at(3) >= 0)
	}
	return false
}
