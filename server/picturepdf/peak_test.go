package picturepdf_test

import (
	"bytes"
	"image"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/server/picturepdf"
)

// TestLargest: a JPEG, with TCODE_PEAK=1 one of 60 million pixels, becomes a PDF within the limits of a child. The child may use MemoryBytes, and this
// process holds the file and a piece of the PDF at a time.
func TestLargest(t *testing.T) {
	edge := 1000
	if os.Getenv("TCODE_PEAK") != "" {
		edge = 7740
	}
	m := image.NewYCbCr(image.Rect(0, 0, edge, edge), image.YCbCrSubsampleRatio420)
	for i := range m.Y {
		m.Y[i] = byte(i%edge/30 + i/edge/30)
	}
	file := asJPEG(t, m)
	m = nil
	pool := sandbox.NewPool(sandbox.Config{Role: picturepdf.Role().Name, Size: 1, MemoryBytes: picturepdf.MemoryBytes, Wall: picturepdf.Wall})
	t.Cleanup(pool.Close)
	var out bytes.Buffer
	err := picturepdf.New(pool).Make(t.Context(), io.NewSectionReader(bytes.NewReader(file), 0, int64(len(file))), &out)
	t.Logf("%d bytes of JPEG, %d of PDF, %v", len(file), out.Len(), err)
	children, _ := exec.Command("pgrep", "-P", strconv.Itoa(os.Getpid())).Output()
	for _, pid := range strings.Fields(string(children)) {
		status, _ := os.ReadFile("/proc/" + pid + "/status")
		for _, line := range strings.Split(string(status), "\n") {
			if strings.HasPrefix(line, "VmHWM") {
				t.Logf("child %s: %s", pid, line)
			}
		}
	}
	if err != nil {
		t.Error(err)
	}
}
