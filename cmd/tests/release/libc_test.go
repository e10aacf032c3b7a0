package release_test

import (
	"bytes"
	"os"
	"testing"

	"tcode/cmd/internal/world"
)

// TestLibcMatchesSQLite keeps modernc.org/libc at the version that the SQLite
// driver was made with: another one may corrupt memory, and a module upgrade
// changes it silently.
func TestLibcMatchesSQLite(t *testing.T) {
	mod, err := os.ReadFile(world.Path("go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"modernc.org/sqlite v1.62.0", "modernc.org/libc v1.80.1"} {
		if !bytes.Contains(mod, []byte(want)) {
			t.Errorf("go.mod lacks %q", want)
		}
	}
}
