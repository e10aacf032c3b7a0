package issue

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// A Place is a place in a list that is in the order of time: behind the record with this
// id, made at this time.
type Place struct {
	At time.Time
	ID string
}

// A Choice is a set of records that an action would change.
type Choice struct {
	IDs    []string       // the oldest first
	Status map[string]int // their number, by status
	Owned  int            // records left out because they change with another one only
	Other  int            // records left out because the action does not change them
	More   bool           // there are more records than a choice looks at
}

// Take adds a record, or counts it among those left out.
func (c *Choice) Take(id, status string, changes, owned bool) {
	switch {
	case owned:
		c.Owned++
	case !changes:
		c.Other++
	default:
		if c.Status == nil {
			c.Status = map[string]int{}
		}
		c.Status[status]++
		c.IDs = append(c.IDs, id)
	}
}

// Sum returns a text that is the same for the same records only.
func (c Choice) Sum() string {
	sum := sha256.Sum256([]byte(strings.Join(c.IDs, " ")))
	return hex.EncodeToString(sum[:16])
}
