package repaint_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tcode/cmd/internal/repaint"
)

// TestGround changes a drawing, plain or compressed, and keeps the length of the file.
func TestGround(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // for sizes
	for range 100 {                       // some become longer with any other digit
		const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
		name := make([]byte, 13)
		for i := range name {
			name[i] = letters[random.IntN(32)]
		}
		side := float64(30+random.IntN(100)) / 4
		drawing := fmt.Sprintf("\nQ \n/Artifact BMC\nq 2.834646 0 0 2.834646 %.6f %.6f cm 1 g 0 0 %g %g re f 0 g 15 0 0 15 0.75 0.75 cm /TCode%s Do Q\nEMC\n",
			500*random.Float64(), 700*random.Float64(), side, side, name)
		var packed bytes.Buffer
		w := zlib.NewWriter(&packed)
		if _, err := w.Write([]byte(drawing)); err != nil || w.Close() != nil {
			t.Fatal("compress")
		}
		for _, stream := range []string{drawing, packed.String()} {
			file := []byte("%PDF-1.7\n5 0 obj\n<<>>\nstream\n" + stream + "\nendstream\n")
			got, err := repaint.Ground(file, 9)
			if err != nil || len(got) != len(file) || bytes.Equal(got, file) {
				t.Errorf("Ground of %q: %d bytes, %v, want %d others", drawing, len(got), err, len(file))
			}
		}
	}
	if _, err := repaint.Ground([]byte("%PDF-1.7\nstream\nno drawing\nendstream"), 9); err == nil || !strings.Contains(err.Error(), "rectangle") {
		t.Errorf("err = %v, want one about the rectangle", err)
	}
}
