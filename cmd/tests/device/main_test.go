// Package device_test holds the promises of tcode-scan and its home: each verdict that a person
// saw is kept through kills, power cuts, full disks and damage, and reaches the gateway once.
package device_test

//race:off whole programs

import (
	"testing"

	"tcode/cmd/internal/world"
)

func TestMain(m *testing.M) { world.Main(m) }
