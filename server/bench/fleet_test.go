package main

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
)

// TestFleet has a small fleet return on both engines: no scan is lost or doubled, and
// other clients get answers meanwhile. It measures no times.
func TestFleet(t *testing.T) {
	var out, progress bytes.Buffer
	err := run(t.Context(), []string{"--only", "fleet", "--stamps", "200", "--fleet", "20", "--each", "60", "--quiet", "0.1", "--json"}, &out, &progress)
	if err != nil {
		t.Fatalf("%v\n%s", err, progress.Bytes())
	}
	var got report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Fleet) != 2 || len(got.Bars) != 6 {
		t.Fatalf("%+v", got)
	}
	for _, r := range got.Fleet {
		if r.Lost != 0 || r.Doubled != 0 || r.PerSecond <= 0 || r.CPU <= 0 {
			t.Errorf("%+v", r)
		}
	}
	if err := got.print(io.Discard); err != nil {
		t.Error(err)
	}
}
