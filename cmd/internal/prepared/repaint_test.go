package prepared_test

import (
	"bytes"
	"compress/zlib"
	"strings"
	"testing"

	"tcode/cmd/internal/prepared"
)

// TestRepaint changes a drawing, plain or compressed, and keeps the length of the file.
func TestRepaint(t *testing.T) {
	t.Parallel()
	drawing := "/Artifact BMC\nq 1 g 0 0 42.5 31.25 re f 0 g /Im1 Do Q\nEMC\n"
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	if _, err := w.Write([]byte(drawing)); err != nil || w.Close() != nil {
		t.Fatal("compress")
	}
	for _, stream := range []string{drawing, packed.String()} {
		file := []byte("%PDF-1.7\n5 0 obj\n<<>>\nstream\n" + stream + "\nendstream\n")
		got, err := prepared.Repaint(file, 9)
		if err != nil || len(got) != len(file) || bytes.Equal(got, file) {
			t.Errorf("Repaint of %q: %d bytes, %v, want %d others", stream, len(got), err, len(file))
		}
	}
	if _, err := prepared.Repaint([]byte("%PDF-1.7\nstream\nno drawing\nendstream"), 9); err == nil || !strings.Contains(err.Error(), "rectangle") {
		t.Errorf("err = %v, want one about the rectangle", err)
	}
}
