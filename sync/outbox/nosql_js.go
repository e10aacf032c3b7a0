package outbox

import (
	"errors"

	"tcode/offline/host/journal"
)

// IsFull reports whether err means that there is no room, so that the caller
// must refuse new scans.
func IsFull(err error) bool { return errors.Is(err, journal.ErrFull) }

// IsDamaged reports whether err means that the outbox is damaged. Closing and
// opening it again repairs it.
func IsDamaged(err error) bool { return errors.Is(err, errRow) }
