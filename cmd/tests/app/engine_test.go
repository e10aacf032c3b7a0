package app_test

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/world"
	"tcode/scanner/answer"
	"tcode/sync/wire"
	"tcode/testdata"
)

// comparable returns findings as JSON without these members.
func comparable(t *testing.T, findings []answer.Finding, without []string) (all []string) {
	t.Helper()
	for _, f := range findings {
		raw, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		members := map[string]json.RawMessage{} // values stay byte for byte
		if err := json.Unmarshal(raw, &members); err != nil {
			t.Fatal(err)
		}
		for _, name := range without {
			delete(members, name)
		}
		if raw, err = json.Marshal(members); err != nil {
			t.Fatal(err)
		}
		all = append(all, string(raw))
	}
	slices.Sort(all)
	return all
}

// TestEngineAnswersAsVerify: for the demo's documents, stamped, the engine, which draws nothing, gives the bytes of
// `tcode-scan verify --json`, except at undrawnPlaces, and each of its scans is in the history.
func TestEngineAnswersAsVerify(t *testing.T) {
	w := world.New(t, 1)
	files := map[string][]byte{}
	names, err := fs.Glob(testdata.Documents, "documents/*.pdf")
	if err != nil || len(names) < 5 {
		t.Fatalf("%d documents (%v)", len(names), err)
	}
	for _, name := range names {
		raw, err := testdata.Documents.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p := w.Stamp(w.Issuers[0], name, raw)
		files[name] = p.PDF
		files[name+", changed"] = append([]byte{}, p.PDF...)
		files[name+", changed"][len(raw)/2] ^= 1
		files[name+", added to"] = append(append([]byte{}, p.PDF...), "\n% more\n"...)
	}
	dev, e := w.DeviceAndEngine()
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			drawn, err := dev.Verify(t.Context(), "file.pdf", file, device.VerifyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			before, err := dev.Outbox.Counts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.File(t.Context(), "file.pdf", file, wire.Context{})
			if err != nil {
				t.Fatal(err)
			}
			a, b := withoutPlaces(linesOf(t, drawn),
				strings.SplitAfter(strings.TrimSuffix(got.JSON, "\n"), "\n"), map[string]int{})
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("(-tcode-scan +engine):\n%s", diff)
			}
			after, err := dev.Outbox.Counts(t.Context())
			if err != nil || after.Queued != before.Queued+len(got.Findings) {
				t.Errorf("%d scans queued after %d findings, %d before (%v)", after.Queued,
					len(got.Findings), before.Queued, err)
			}
		})
	}
}
