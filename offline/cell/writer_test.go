package cell_test

import (
	"bytes"
	"testing"

	"tcode/offline/cell"
)

func written(t *testing.T, delimiter rune, lines ...[]string) string {
	t.Helper()
	var b bytes.Buffer
	w := cell.NewWriter(&b, delimiter)
	for _, line := range lines {
		if err := w.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriter(t *testing.T) {
	t.Parallel()
	got := written(t, ';', []string{"a", "b"}, []string{"=1+1", "x;\"y\"\nz"}, []string{"", "'=1"})
	if want := "\ufeffa;b\r\n'=1+1;\"x;\"\"y\"\"\r\nz\"\r\n;''=1\r\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := written(t, 0, []string{"a", "b"}); got != "\ufeffa,b\r\n" {
		t.Errorf("%q", got)
	}
	if got := written(t, 0); got != "" {
		t.Errorf("nothing is %q", got)
	}
}
