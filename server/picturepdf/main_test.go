package picturepdf_test

import (
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
	"tcode/server/picturepdf"
)

func TestMain(m *testing.M) {
	sandbox.Main(append(raster.Roles(), picturepdf.Role())...)
	m.Run()
}
