package offline_test

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline"
	"tcode/testdata"
)

// wantVectors detects a moved folder: no files must not count as a pass.
const wantVectors = 96

// vectors returns the verdict vectors by file name.
func vectors(tb testing.TB) map[string][]byte {
	tb.Helper()
	const dir = "vectors/verdict"
	entries, err := fs.ReadDir(testdata.Vectors, dir)
	if err != nil {
		tb.Fatal(err)
	}
	files := make(map[string][]byte)
	for _, e := range entries {
		raw, err := fs.ReadFile(testdata.Vectors, path.Join(dir, e.Name()))
		if err != nil {
			tb.Fatal(err)
		}
		files[e.Name()] = raw
	}
	if len(files) != wantVectors {
		tb.Fatalf("found %d vectors, want %d", len(files), wantVectors)
	}
	return files
}

// TestVectors compares the answers with testdata/vectors/verdict byte for byte,
// as the command line and the browser must.
func TestVectors(t *testing.T) {
	t.Parallel()
	for name, raw := range vectors(t) {
		t.Run(strings.TrimSuffix(name, ".json"), func(t *testing.T) {
			t.Parallel()
			got, want, err := offline.RunVector(raw)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunVectorRefuses(t *testing.T) {
	t.Parallel()
	good := vectors(t)["valid-match.json"]
	tests := []struct {
		name string
		raw  []byte
	}{
		{"no JSON", []byte("{")},
		{"unknown member", bytes.Replace(good, []byte(`"comment"`), []byte(`"coment"`), 1)},
		{"two documents", append(bytes.Clone(good), good...)},
		{"payload", bytes.Replace(good, []byte(`"payload": "d7`), []byte(`"payload": "x7`), 1)},
		{"survivors", bytes.Replace(good, []byte(`"binding"`), []byte(`"survivors": [["00"]], "binding"`), 1)},
		{"remembered", bytes.Replace(good, []byte(`"binding"`), []byte(`"remembered": ["00"], "binding"`), 1)},
		{"no answer", good[:bytes.LastIndex(good, []byte(`"want"`))]},
	}
	for _, tt := range tests {
		if bytes.Equal(tt.raw, good) {
			t.Errorf("%s: nothing was changed", tt.name)
		}
		if _, _, err := offline.RunVector(tt.raw); !errors.Is(err, offline.ErrVector) {
			t.Errorf("%s: %v, want ErrVector", tt.name, err)
		}
	}
	// A wrong answer must not pass.
	got, want, err := offline.RunVector(bytes.Replace(good, []byte(`"verdict": "valid"`), []byte(`"verdict": "revoked"`), 1))
	if err != nil || bytes.Equal(got, want) {
		t.Errorf("a wrong answer passed: %v", err)
	}
}
