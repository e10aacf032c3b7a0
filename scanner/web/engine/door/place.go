package door

import (
	"math"
	"unicode/utf8"

	"tcode/sync/wire"
)

// A place is the context of a scan.
type place struct {
	Location  string   `json:"location"`
	Note      string   `json:"note"`
	Latitude  *float64 `json:"latitude"`  // degrees north
	Longitude *float64 `json:"longitude"` // degrees east
}

// wire checks the context of a scan.
func (c place) wire() (wire.Context, error) {
	w := wire.Context{Location: c.Location, Note: c.Note}
	if utf8.RuneCountInString(c.Location) > wire.MaxLocationLen || utf8.RuneCountInString(c.Note) > wire.MaxNoteLen {
		return w, &Failure{Code: "request", Message: "location or note is too long"}
	}
	if c.Latitude == nil || c.Longitude == nil {
		return w, nil
	}
	if math.Abs(*c.Latitude) > 90 || math.Abs(*c.Longitude) > 180 {
		return w, &Failure{Code: "request", Message: "no such place"}
	}
	w.Coordinates, w.LatitudeE6, w.LongitudeE6 = true, int32(math.Round(*c.Latitude*1e6)), int32(math.Round(*c.Longitude*1e6))
	return w, nil
}
