//go:build js

package idb_test

import (
	"testing"

	"tcode/offline/host/trustjournal/trustjournaltest"
)

// TestTrust holds the trust state to its rules on IndexedDB.
func TestTrust(t *testing.T) {
	trustjournaltest.Run(t, func(t *testing.T) trustjournaltest.Disk {
		return trustjournaltest.Disk{Open: newPlace(t).Open}
	}, false)
}
