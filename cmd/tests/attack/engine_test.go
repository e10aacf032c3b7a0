package attack_test

import (
	"slices"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/scanner/answer"
	"tcode/sync/wire"
)

// TestEngineIsNeverGreener: no attack on a stamped file makes the engine more confident than the
// scanner that draws the pages.
func TestEngineIsNeverGreener(t *testing.T) {
	w := world.New(t, 2)
	other := w.Stamp(w.Issuers[1], "another paper", world.SmallPDF(1))
	_, e := w.DeviceAndEngine()
	stamped := map[string]world.Paper{}
	for _, a := range slices.Concat(appendedAttacks, switchedAttacks, changedAttacks, pastedAttacks,
		preparedAttacks, ambiguousAttacks) {
		t.Run(a.name, func(t *testing.T) {
			original := string(a.original.PDF())
			if _, ok := stamped[original]; !ok {
				stamped[original] = w.Stamp(w.Issuers[0], a.name, []byte(original))
			}
			v := victim{stamped[original], w, other}
			file := v.PDF
			if a.make != nil {
				file = a.make(t, v)
			}
			got, err := e.File(t.Context(), "attack.pdf", file, wire.Context{})
			if err != nil {
				t.Logf("no answer: %v", err)
				return
			}
			if asValid(got.Findings, answer.Requirements{Settled: true}) || a.make != nil &&
				asValid(got.Findings, answer.Requirements{}) {
				t.Errorf("accepted: %s", got.JSON)
			}
		})
	}
}
