// Package opstest holds the tests of running a gateway: start and stop, drains,
// full disks, killed processes, backups, older databases, fsck, metrics, e-mail,
// and outages of the services that a gateway needs.
//
// A test starts its gateway with [harness.Start], or with [harness.StartProcess]
// if it kills or signals it.
package opstest

//race:off whole gateways

import (
	"testing"

	"tcode/server/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

func must(t *testing.T, err error) {
	t.Helper()
	harness.Must(t, err)
}
