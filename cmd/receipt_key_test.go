package cmd_test

import (
	"strings"
	"testing"
)

// TestSyncAfterNewOnlineKey: scans from before a change of the online key are
// sent after it, without a manual refresh.
func TestSyncAfterNewOnlineKey(t *testing.T) {
	w := newWorld(t, 1)
	pdf := w.file("paper.pdf", w.stamp(w.issuers[0], "paper", document(t, "letter.pdf")).pdf)
	o := &operator{t: t, dir: w.dir, data: w.data}
	o.programs()
	o.run("tcode-scan enrol --gateway " + w.url())
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
