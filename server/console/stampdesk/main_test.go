package stampdesk_test

import (
	"os"
	"path/filepath"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/server"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
)

func TestMain(m *testing.M) {
	sandbox.Main(server.Roles()...)
	harness.Main(m)
}

// world starts a gateway that draws pages and reads stamps back.
func world(t *testing.T) *consoletest.World {
	t.Helper()
	return consoletest.NewWorld(t, func(c *server.Config) {
		c.Readback = nil
		c.Cache = cache()
	})
}

// cache is the folder for the machine code of the engines, which other tests share.
func cache() string { return filepath.Join(os.TempDir(), "tcode-test-pages") }
