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

// TestLargest: a JPEG of 60 million pixels becomes a PDF within the limits of a child. The child may use MemoryBytes, and this
// process holds the file and a piece of the PDF at a time. It takes seconds: TCODE_PEAK=1 runs it.
func TestLargest(t *testing.T) {
	if os.Getenv("TCODE_PEAK") == "" {
		t.Skip("TCODE_PEAK=1 runs it")
	}
	m := image.NewYCbCr(image.Rect(0, 0, 7740, 7740), image.YCbCrSubsampleRatio420)
	for i := range m.Y {
		m.Y[i] = byte(i%7740/30 + i/7740/30)
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
