package device_test

import (
	"context"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"tcode/cmd/internal/device"
	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
	"tcode/testdata"
)

func TestMain(m *testing.M) {
	sandbox.Main(raster.Roles()...)
	os.Exit(m.Run())
}

// More comparisons than an engine has children wait for a free child, not for
// each other.
func TestEnginesAtOnce(t *testing.T) {
	letter, err := testdata.Documents.ReadFile("documents/letter.pdf")
	if err != nil {
		t.Fatal(err)
	}
	cores := runtime.GOMAXPROCS(1) // one child an engine
	engines := device.NewEngines(nil)
	runtime.GOMAXPROCS(cores)
	defer engines.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			if found, err := engines.Compare(ctx, "letter.pdf", letter); err != nil || len(found) != 0 {
				t.Errorf("%v, %v", found, err)
			}
		})
	}
	wg.Wait()
}
