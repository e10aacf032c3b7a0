// Package app_test holds that the app for phones, its engine and the page /verify give the
// answers of tcode-scan, in several browsers, and keep each scan that they showed.
package app_test

//race:off whole programs

import (
	"testing"

	"tcode/cmd/internal/world"
)

func TestMain(m *testing.M) { world.Main(m) }
