package trust_test

import (
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// TestSyncAfterNewOnlineKey: scans from before a change of the online key are
// sent after it, without a manual refresh.
func TestSyncAfterNewOnlineKey(t *testing.T) {
	w := world.New(t, 1)
	pdf := w.File("paper.pdf", w.Stamp(w.Issuers[0], "paper", world.Document(t, "letter.pdf")).PDF)
	o := &operator{t: t, dir: w.Dir, data: w.Data}
	o.programs()
	o.run("tcode-scan enrol --gateway " + w.URL())
	o.run("tcode-scan trust refresh")
	o.run("tcode-scan verify " + pdf)
	o.run("tcode-gateway online-key rotate")
	if said := o.run("tcode-scan sync"); !strings.Contains(said, "1 scans sent: 1 accepted") && !strings.Contains(said, "1 the gateway had already") ||
		!strings.Contains(said, "0 waiting") {
		t.Errorf("sync says %s", said)
	}
	if v := o.trust("scanner"); v.RootVersion != 2 {
		t.Errorf("the scanner holds %+v", v)
	}
}
