// Package gateway_test holds what a gateway promises to issuers: a stamp at its place on each page
// and paper size, or a reason, which our reader and others read in the delivered file.
package gateway_test

//race:off whole programs

import (
	"testing"

	"tcode/cmd/internal/world"
)

func TestMain(m *testing.M) { world.Main(m) }
