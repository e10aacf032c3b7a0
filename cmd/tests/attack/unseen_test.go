package attack_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// TestUnseenPage: if one page of a document cannot be shown, the other page
// does not decide, unless the stamp is bound to all of its bytes.
func TestUnseenPage(t *testing.T) {
	w := world.New(t, 1)
	w.Scanner("home").Close()
	two := twoPages("/MediaBox[0 0 1000000000 1000000000]")
	p := w.Stamp(w.Issuers[0], "two pages", two)
	resaved := bytes.Clone(p.PDF)
	mark := bytes.Index(resaved, []byte("/TCode"))
	if mark < 0 {
		t.Fatal("no mark in the stamped file")
	}
	copy(resaved[mark:], "/Xcode") // as if another program had rewritten it
	for _, tt := range []struct {
		name string
		pdf  []byte
		code int
		want string
	}{
		{"bound.pdf", p.PDF, 0, "VALID"},
		{"resaved.pdf", resaved, 3, "page 1 could not be shown"},
	} {
		out, err := exec.Command(world.Program(t, "tcode-scan"), "--home",
			filepath.Join(w.Dir, "home"), "verify", "--paper",
			w.File(tt.name, tt.pdf)).CombinedOutput()
		if code := world.ExitCode(t, err); code != tt.code ||
			!strings.Contains(string(out), tt.want) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s", tt.name, code, tt.code, tt.want, out)
		}
	}
}

// twoPages returns a document whose first page has the given size and whose
// second is an A4 page. A reader that searches the file finds its objects.
func twoPages(first string) []byte {
	one := world.SmallPDF(2)
	one = bytes.Replace(one, []byte("/Kids[3 0 R]/Count 1"), []byte("/Kids[9 0 R 3 0 R]/Count 2"), 1)
	page := "9 0 obj\n<</Type/Page/Parent 2 0 R" + first + ">>\nendobj\n"
	return bytes.Replace(one, []byte("xref\n"), []byte(page+"xref\n"), 1)
}
