package proof_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/scanner/proof"
)

const bare = "%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 0/Kids[]>>\nendobj\n"

// file is body with a cross-reference table.
func file(body string) []byte {
	table := "xref\n0 1\n0000000000 65535 f \n"
	for _, m := range regexp.MustCompile(`(\d+) 0 obj\n`).FindAllStringSubmatchIndex(body, -1) {
		table += fmt.Sprintf("%s 1\n%010d 00000 n \n", body[m[2]:m[3]], m[0])
	}
	return fmt.Appendf(nil, "%s%strailer\n<</Size 9/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", body, table, len(body))
}

// bomb is an object stream that inflates to n bytes.
func bomb(t *testing.T, n int) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file(fmt.Sprintf("%s3 0 obj\n<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\n", bare, packed.Len(), packed.Bytes()))
}

// TestCaveats searches for the caveats that scanners will report; a file that harms
// the child process is reported as one with unsearched parts.
func TestCaveats(t *testing.T) {
	t.Parallel()
	const scripts, unseen = "it holds scripts, which can change what it shows (object 3)", "parts of it could not be looked at"
	p := proof.NewReader(sandbox.Config{Size: 1}, "")
	t.Cleanup(p.Close)
	hasty := proof.NewReader(sandbox.Config{Size: 1, Wall: time.Nanosecond}, "")
	t.Cleanup(hasty.Close)
	for _, tt := range []struct {
		name   string
		reader *proof.Reader
		pdf    []byte
		want   []string
	}{
		{"nothing to tell", p, file(bare), nil},
		{"a script", p, file(bare + "3 0 obj\n<</S/JavaScript/JS(app.alert)>>\nendobj\n"), []string{scripts}},
		{"more than is looked at", p, bomb(t, 100<<20), []string{unseen}},
		{"more time than a child may take", hasty, file(bare), []string{unseen}},
	} {
		if got, err := tt.reader.Caveats(t.Context(), section(tt.pdf)); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := p.Caveats(ended, section([]byte(bare))); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that has ended: %q, %v; want %v", got, err, context.Canceled)
	}
}
