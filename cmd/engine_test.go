package cmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image/jpeg"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/scanner/answer"
	"tcode/scanner/gray"
	"tcode/scanner/pageimage"
	"tcode/scanner/simulate"
	"tcode/scanner/web/engine"
	"tcode/sync/wire"
	"tcode/testdata"
)

// engineBeside returns an enrolled device and the browser's engine over its stores and clocks. Their proven time stands still, so that the
// age of the status is the same in both answers.
func engineBeside(t *testing.T, w *world) (*device.Device, *engine.Engine) {
	t.Helper()
	boot := func() offline.Boot { return offline.Boot{ID: "engine", At: time.Hour} }
	dev, err := device.Open(t.Context(), device.Config{Home: filepath.Join(w.dir, "engine"), Boot: boot})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	if _, err := dev.Enrol(t.Context(), w.url(), nil); err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{Trust: dev.Cache.Book, Scans: dev.Outbox, Now: dev.Now, Boot: boot, Decode: decodeJPEG})
	if err != nil {
		t.Fatal(err)
	}
	return dev, e
}

// decodeJPEG stands for the browser's decoder.
func decodeJPEG(_ context.Context, data []byte, w, h int) (*gray.Image, error) {
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return pageimage.Shrink(simulate.FromImage(img), w, h), nil
}

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
	w := newWorld(t, 1)
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
		p := w.stamp(w.issuers[0], name, raw)
		files[name] = p.pdf
		files[name+", changed"] = append([]byte{}, p.pdf...)
		files[name+", changed"][len(raw)/2] ^= 1
		files[name+", added to"] = append(append([]byte{}, p.pdf...), "\n% more\n"...)
	}
	dev, e := engineBeside(t, w)
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
			a, b := withoutPlaces(linesOf(t, drawn), strings.SplitAfter(strings.TrimSuffix(got.JSON, "\n"), "\n"), map[string]int{})
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("(-tcode-scan +engine):\n%s", diff)
			}
			after, err := dev.Outbox.Counts(t.Context())
			if err != nil || after.Queued != before.Queued+len(got.Findings) {
				t.Errorf("%d scans queued after %d findings, %d before (%v)", after.Queued, len(got.Findings), before.Queued, err)
			}
		})
	}
}

// TestEngineIsNeverGreener: no attack on a stamped file makes the engine more confident than the
// scanner that draws the pages.
func TestEngineIsNeverGreener(t *testing.T) {
	w := newWorld(t, 2)
	other := w.stamp(w.issuers[1], "another paper", smallPDF(1))
	_, e := engineBeside(t, w)
	stamped := map[string]paper{}
	for _, a := range slices.Concat(appendedAttacks, switchedAttacks, changedAttacks, pastedAttacks, preparedAttacks, ambiguousAttacks) {
		t.Run(a.name, func(t *testing.T) {
			original := string(a.original.pdf())
			if _, ok := stamped[original]; !ok {
				stamped[original] = w.stamp(w.issuers[0], a.name, []byte(original))
			}
			v := victim{stamped[original], w, other}
			file := v.pdf
			if a.make != nil {
				file = a.make(t, v)
			}
			got, err := e.File(t.Context(), "attack.pdf", file, wire.Context{})
			if err != nil {
				t.Logf("no answer: %v", err)
				return
			}
			if answer.Accepted(got.Findings, answer.Requirements{Settled: true}) || a.make != nil && answer.Accepted(got.Findings, answer.Requirements{}) {
				t.Errorf("accepted: %s", got.JSON)
			}
		})
	}
}
