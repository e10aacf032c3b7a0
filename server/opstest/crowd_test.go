package opstest

import (
	"fmt"
	"net/http"
	"runtime"
	"testing"

	"golang.org/x/sync/errgroup"

	"tcode/offline/host/sandbox"
	"tcode/server"
	"tcode/server/internal/harness"
)

// TestCrowd: more documents are stamped concurrently than the memory of the child processes has room for. None is refused: a
// document never bears the blame for the others. The test is not parallel, because the limit is that of the process.
//
//engine:sqlite the memory of children decides
func TestCrowd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the limit needs Linux")
	}
	sandbox.LimitTogether(220 << 20)
	t.Cleanup(func() { sandbox.LimitTogether(0) })
	r := harness.Start(t, func(c *server.Config) { c.Readback, c.Stampers = nil, 4 })
	key := r.Tenant("ACME01")
	var all errgroup.Group
	for i := range 8 {
		all.Go(func() error {
			if a := r.Post(key, "/v1/tcode/stamps", harness.StampBody(fmt.Sprint("diploma ", i))); a.StatusCode != http.StatusCreated {
				return fmt.Errorf("stamp %d: %d %s", i, a.StatusCode, a.Raw)
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Error(err)
	}
}
