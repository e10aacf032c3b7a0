// Package attack_test attacks documents: changed and appended files, copied, repainted and pasted
// symbols, prepared files that viewers show differently, hostile uploads, and stamps on stamps.
// None of them makes another file pass for the stamped one.
package attack_test

//race:off whole programs

import (
	"testing"

	"tcode/cmd/internal/world"
)

func TestMain(m *testing.M) { world.Main(m) }
