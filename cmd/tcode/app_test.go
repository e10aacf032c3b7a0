package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/cli"
)

// A lost answer gives advice that avoids making a thing twice; if the gateway
// was not reached, nothing can have been made.
func TestLostAnswer(t *testing.T) {
	diploma := filepath.Join("..", "..", "testdata", "documents", "diploma.pdf")
	breaks := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(breaks.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	t.Setenv("TCODE_CONFIG", filepath.Join(t.TempDir(), "none.json"))
	t.Setenv(keyVariable, "tck_live_00000000_0")
	tests := []struct {
		gateway string
		args    []string
		want    string // in the advice; "" for none
	}{
		{breaks.URL, []string{"stamp", diploma, "--type", "DIP"}, "--external-id"},
		{breaks.URL, []string{"issue", "--template", "0198e3a1-7c2e-7000-8000-000000000001", "--recipient", "Ada"}, "--external-id"},
		{breaks.URL, []string{"bulk", "submit", diploma, diploma}, "tcode bulk list"},
		{breaks.URL, []string{"bulk", "list"}, ""},
		{breaks.URL, []string{"verify", "TCR-0000000000000000"}, ""},
		{gone.URL, []string{"stamp", diploma, "--type", "DIP"}, ""},
	}
	for _, tt := range tests {
		args := append([]string{"--gateway", tt.gateway}, tt.args...)
		if tt.args[0] == "stamp" {
			args = append(args, "-o", filepath.Join(t.TempDir(), "out.pdf"))
		}
		var out, said bytes.Buffer
		err := run(t.Context(), args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &said})
		cli.Report(&said, err)
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		if !strings.Contains(lines[0], "no answer from the gateway") || out.Len() > 0 {
			t.Errorf("%q: %q, %q", tt.args, said.String(), out.String())
		}
		if advised := len(lines) == 2 && tt.want != "" && strings.Contains(lines[1], tt.want); advised != (tt.want != "") || len(lines) > 2 {
			t.Errorf("%q advises %q, want %q", tt.args, lines[1:], tt.want)
		}
	}
}
