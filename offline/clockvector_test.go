package offline_test

import (
	"bytes"
	"errors"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline"
	"tcode/testdata"
)

// wantClockVectors detects a moved folder.
const wantClockVectors = 35

// clockFiles returns the clock vectors by file name.
func clockFiles(tb testing.TB) map[string][]byte {
	tb.Helper()
	const dir = "vectors/clock"
	entries, err := fs.ReadDir(testdata.Vectors, dir)
	if err != nil {
		tb.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = fs.ReadFile(testdata.Vectors, dir+"/"+e.Name()); err != nil {
			tb.Fatal(err)
		}
	}
	if len(files) != wantClockVectors {
		tb.Fatalf("found %d clock vectors, want %d", len(files), wantClockVectors)
	}
	return files
}

func TestClockVectors(t *testing.T) {
	t.Parallel()
	for name, raw := range clockFiles(t) {
		v, err := offline.ParseClockVector(raw)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(v.Want, v.Run()); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", name, v.Comment, diff)
		}
	}
	good := clockFiles(t)["clock-fits.json"]
	for name, raw := range map[string][]byte{
		"no JSON": []byte("{"), "twice": append(bytes.Clone(good), good...),
		"unknown member": bytes.Replace(good, []byte(`"comment"`), []byte(`"coment"`), 1),
	} {
		if _, err := offline.ParseClockVector(raw); !errors.Is(err, offline.ErrVector) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzClock: in any situation, without a live proof a clock below a floor makes
// nothing fresh; with one, the device's clock has no influence; and a fresh
// state has a known age.
func FuzzClock(f *testing.F) {
	for _, raw := range clockFiles(f) {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := offline.ParseClockVector(raw)
		if err != nil {
			return
		}
		a := v.Run()
		fresh := !a.Stale
		if fresh && (a.AgeSeconds == nil || *a.AgeSeconds > 24*3600 || v.Ahead || a.Expired) {
			t.Errorf("fresh: %+v", a)
		}
		if fresh && a.Basis == offline.DeviceClock && (v.Now.Before(v.StatusAsOf) || v.Now.Before(v.Floor) || v.Now.Before(v.Proof.Time)) {
			t.Errorf("fresh below a floor: %+v", a)
		}
		other := v
		other.Now = v.Now.AddDate(1, 0, 0)
		if b := other.Run(); a.Basis == offline.Proven && (b.Stale != a.Stale || !cmp.Equal(a.AgeSeconds, b.AgeSeconds)) {
			t.Errorf("the device's clock counts: %+v, %+v", a, b)
		}
	})
}
