// Package trust_test attacks the trust of devices: forged trust documents, mirrors, wrong clocks
// and stolen keys. A device learns each revocation and each new key, with few requests, and accepts
// nothing else.
package trust_test

//race:off whole programs

import (
	"testing"

	"tcode/cmd/internal/world"
)

func TestMain(m *testing.M) { world.Main(m) }
