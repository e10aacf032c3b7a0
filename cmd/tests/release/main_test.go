// Package release_test holds what a release promises: versions and licences, the container and
// the service, data of earlier programs, and every command of the READMEs.
package release_test

//race:off whole programs

import (
	"testing"

	"tcode/cmd/internal/world"
)

func TestMain(m *testing.M) { world.Main(m) }
