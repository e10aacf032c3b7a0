package attack_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

// TestBothEngines: tcode-scan with --engine both compares the pages even of a
// file that its issuer vouches for, and reports symbols that only one engine
// shows.
func TestBothEngines(t *testing.T) {
	w := world.New(t, 1)
	home := filepath.Join(w.Dir, "home")
	w.Scanner("home").Close()
	scan := func(args ...string) (int, string) {
		out, err := exec.Command(world.Program(t, "tcode-scan"),
			append([]string{"--home", home, "--engine", "both"}, args...)...).Output()
		return world.ExitCode(t, err), string(out)
	}
	plain := w.Stamp(w.Issuers[0], "plain", world.Document(t, "letter.pdf"))
	code, out := scan("verify", "--require-plain", w.File("plain.pdf", plain.PDF))
	if code != 0 || !strings.Contains(out, "✓ VALID ") {
		t.Errorf("a plain file: exit %d\n%s", code, out)
	}
	// The clipping path is empty: MuPDF draws nothing after it, PDFium everything.
	differs := w.Stamp(w.Issuers[0], "differs",
		drawing("BT /F 24 Tf 72 600 Td (Pay 100 EUR) Tj ET q W n BT /F 24 Tf 72 500 Td (Pay 900 EUR) Tj ET Q"))
	file := w.File("differs.pdf", differs.PDF)
	if code, out = scan("verify", file); code != 0 || !strings.Contains(out, "VALID, BUT CHECK CONTENTS") || !strings.Contains(out, "page 1") {
		t.Errorf("a file that they draw differently: exit %d\n%s", code, out)
	}
	if code, out = scan("verify", "--require-plain", file); code != 1 {
		t.Errorf("the same with --require-plain: exit %d\n%s", code, out)
	}
	// This stamp, which MuPDF does not show, is in a file to which no stamp is bound.
	lone := w.File("lone.pdf", drawing("q W n "+squares(t, payload.EncodeText(plain.Raw))+" Q"))
	code, out = scan("--json", "read", lone)
	var page struct {
		Symbols  []struct{ Text string }
		Disputes []struct{ Shows, Hides, Text string }
	}
	if err := json.Unmarshal([]byte(out), &page); err != nil || code != 1 || len(page.Symbols) != 1 || len(page.Disputes) != 1 ||
		page.Disputes[0].Shows != "pdfium" || page.Disputes[0].Hides != "mupdf" || page.Disputes[0].Text != page.Symbols[0].Text {
		t.Errorf("read: exit %d, %v\n%s", code, err, out)
	}
	if code, out = scan("verify", "--paper", lone); !strings.Contains(out, "PDFium shows a symbol there that MuPDF does not show") {
		t.Errorf("verify of a stamp that one engine shows: exit %d\n%s", code, out)
	}
}

// drawing returns a sheet with these contents.
func drawing(contents string) []byte {
	return world.Sheet{More: world.Objects{4: world.Stream("", contents)}}.PDF()
}

// squares draws the symbol of text as squares of 1.5 pt.
func squares(t *testing.T, text string) string {
	t.Helper()
	m, err := pdfstamp.Symbol(text)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, dark := range m.Dark {
		if dark {
			fmt.Fprintf(&b, "%g %g 1.5 1.5 re ", 400+1.5*float64(i%m.Side), 400-1.5*float64(i/m.Side))
		}
	}
	return b.String() + "f"
}
