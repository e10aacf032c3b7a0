package offline_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/trust"
	"tcode/testdata"
)

// TestStatusVectors reads each object of testdata/vectors/status, here and in
// the browser build.
func TestStatusVectors(t *testing.T) {
	t.Parallel()
	entries, err := fs.ReadDir(testdata.Vectors, "vectors/status")
	if err != nil {
		t.Fatal(err)
	}
	ok, bad := 0, 0
	for _, e := range entries {
		raw, err := fs.ReadFile(testdata.Vectors, "vectors/status/"+e.Name())
		if err != nil {
			t.Fatal(err)
		}
		want, err := trust.ParseObjectVector(raw)
		if err != nil {
			t.Fatal(e.Name(), err)
		}
		got, err := want.Run()
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", e.Name(), err, diff)
		}
		if strings.HasPrefix(e.Name(), "ok-") != (want.Want == "ok") {
			t.Errorf("%s: %s", e.Name(), want.Want)
		}
		if want.Want == "ok" {
			ok++
		} else {
			bad++
		}
	}
	if ok != 21 || bad != 50 {
		t.Errorf("%d vectors that are read and %d that are refused, want 21 and 50", ok, bad)
	}
	t.Logf("%d vectors are read, %d are refused, each for its one fault", ok, bad)
}
