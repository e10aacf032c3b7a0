package attack_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// update appends an incremental update to file, as any PDF library does.
func update(file []byte, all world.Objects) []byte { return updateRoot(file, 1, all) }

// updateRoot is update with object root as the new catalog.
func updateRoot(file []byte, root int, all world.Objects) []byte {
	trailer := fmt.Sprintf("/Root %d 0 R/Prev %s", root, startxref(file))
	return append(bytes.Clone(file), world.Section(len(file), 0, all, trailer)...)
}

var startxrefs = regexp.MustCompile(`startxref\s+(\d+)`)

// startxref returns the offset of the newest cross-reference section, in digits.
func startxref(file []byte) string {
	all := startxrefs.FindAllSubmatch(file, -1)
	return string(all[len(all)-1][1])
}

// newest returns the last body of object n in file.
func newest(t *testing.T, file []byte, n int) string {
	t.Helper()
	object := regexp.MustCompile(fmt.Sprintf(`(?s)\n%d 0 obj\n?(.*?)endobj`, n))
	all := object.FindAllSubmatch(file, -1)
	if len(all) == 0 {
		t.Fatalf("no object %d", n)
	}
	return strings.TrimSpace(string(all[len(all)-1][1]))
}

// edited returns file with the last occurrence of from replaced by to, which
// has the same length.
func edited(t *testing.T, file []byte, from, to string) []byte {
	t.Helper()
	at := bytes.LastIndex(file, []byte(from))
	if at < 0 || len(from) != len(to) {
		t.Fatalf("%q is not in the file, or %q is not as long", from, to)
	}
	out := bytes.Clone(file)
	copy(out[at:], to)
	return out
}
