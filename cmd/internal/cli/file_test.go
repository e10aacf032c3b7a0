package cli_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/cli"
)

// says returns a function that writes text and then fails with err.
func says(text string, err error) func(io.Writer) error {
	return func(w io.Writer) error {
		_, werr := io.WriteString(w, text)
		return errors.Join(werr, err)
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	full := errors.New("no room")
	tests := []struct {
		name   string
		before string // content; "" for no file
		force  bool
		write  func(io.Writer) error
		want   string // content afterwards; "" for no file
		code   int
	}{
		{"new", "", false, says("new", nil), "new", cli.CodeOK},
		{"taken", "old", false, says("new", nil), "old", cli.CodeUsage},
		{"replaced", "old", true, says("new", nil), "new", cli.CodeOK},
		{"new one fails", "", false, says("half", full), "", cli.CodeFailed},
		{"replacement fails", "old", true, says("half", full), "old", cli.CodeFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			if tt.before != "" {
				if err := os.WriteFile(path, []byte(tt.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := cli.WriteFile(path, tt.force, tt.write); cli.Code(err) != tt.code {
				t.Errorf("error %v, code %d; want code %d", err, cli.Code(err), tt.code)
			}
			if got, _ := os.ReadFile(path); string(got) != tt.want {
				t.Errorf("the file holds %q, want %q", got, tt.want)
			}
			if info, err := os.Stat(path); tt.before != "" && (err != nil || info.Mode().Perm() != 0o600) {
				t.Errorf("mode %v, %v; want that of the file before, 0600", info.Mode(), err)
			}
			left, err := os.ReadDir(dir)
			if err != nil || len(left) > 1 || len(left) == 1 && left[0].Name() != "file" {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// A path that is not a regular file is never replaced by one, even with permission.
func TestWriteFileElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := cli.WriteFile(dir, true, says("new", nil)); cli.Code(err) != cli.CodeUsage || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	link := filepath.Join(dir, "null")
	if err := os.Symlink(os.DevNull, link); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if err := cli.WriteFile(link, true, says("new", nil)); err != nil {
		t.Errorf("a device: %v", err)
	}
	if got, err := os.Readlink(link); err != nil || got != os.DevNull {
		t.Errorf("the link to a device is now %q, %v", got, err)
	}
	file, way := filepath.Join(dir, "file"), filepath.Join(dir, "way")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o600), os.Symlink("file", way)); err != nil {
		t.Fatal(err)
	}
	if err := cli.WriteFile(way, true, says("new", nil)); err != nil {
		t.Error(err)
	}
	if got, err := os.Readlink(way); err != nil || got != "file" {
		t.Errorf("the link to a file is now %q, %v", got, err)
	}
	if got, _ := os.ReadFile(file); string(got) != "new" {
		t.Errorf("the file behind the link holds %q", got)
	}
	err := cli.WriteFile(filepath.Join(dir, "none", "file"), false, says("new", nil))
	if err == nil || strings.Contains(err.Error(), ".tcode-") || !strings.Contains(err.Error(), filepath.Join("none", "file")) {
		t.Errorf("no such folder: %v; want the name that was asked for", err)
	}
}
