package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/openfile"
	"tcode/offline/trust"
	"tcode/scanner"
)

// maxFileBytes is more than any document may have, so that the error names the
// reader's own limit.
const maxFileBytes = 256 << 20

// stdin is the name for standard input.
const stdin = "-"

// shown returns the name for a person.
func shown(name string) string {
	if name == stdin {
		return "standard input"
	}
	return name
}

// escapePath writes the name of a file in one line, as [trust.Escape] does. The separators of Windows stay single: no name of
// a file contains one there.
func escapePath(name string) string {
	if filepath.Separator == '/' {
		return trust.Escape(name)
	}
	parts := strings.Split(name, string(filepath.Separator))
	for i, p := range parts {
		parts[i] = trust.Escape(p)
	}
	return strings.Join(parts, string(filepath.Separator))
}

// extensions are the endings of files that are read in a folder. A file that is
// named itself is read whatever its ending is.
var extensions = map[string]bool{
	".pdf": true, ".png": true, ".jpg": true, ".jpeg": true, ".tif": true, ".tiff": true, ".bmp": true, ".gif": true, ".webp": true,
	".heic": true, ".heif": true, ".avif": true, ".jp2": true, ".j2k": true, ".pnm": true, ".pbm": true, ".pgm": true, ".ppm": true, ".pam": true,
}

// extensionWords returns them as text for people.
func extensionWords() string { return strings.Join(slices.Sorted(maps.Keys(extensions)), " ") }

// expand replaces folders by the documents below them, in lexical order. It
// keeps files that do not exist, so that a later error names them. Pipes, sockets
// and devices in a folder are no documents: opening one may never end.
func expand(names []string) ([]string, error) {
	var all []string
	for _, name := range unfold(names, runtime.GOOS) {
		info, err := os.Stat(name)
		if name == stdin || err != nil || !info.IsDir() {
			all = append(all, name)
			continue
		}
		before := len(all)
		err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			if err == nil && extensions[strings.ToLower(filepath.Ext(path))] && mayBeFile(path, d) {
				all = append(all, path)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("search %s: %w", name, err)
		}
		if len(all) == before {
			all = append(all, name) // readFile reports the error
		}
	}
	return all, nil
}

// mayBeFile reports whether d is a regular file, or a link that leads to one or to nothing: a later
// error names a link that leads to nothing.
func mayBeFile(path string, d fs.DirEntry) bool {
	if d.Type() != fs.ModeSymlink {
		return d.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// unfold replaces patterns such as *.pdf by the files that fit. On Windows the shells leave that to programs, and no name of
// a file contains a star or a question mark. A pattern that fits nothing stays, so that a later error names it.
func unfold(names []string, system string) (all []string) {
	if system != "windows" {
		return names
	}
	for _, name := range names {
		fits, err := filepath.Glob(name)
		if err != nil || len(fits) == 0 || !strings.ContainsAny(name, "*?") {
			fits = []string{name}
		}
		all = append(all, fits...)
	}
	return all
}

// readFile reads one complete document.
func readFile(ctx context.Context, in io.Reader, name string) ([]byte, error) {
	if name == stdin {
		return readAll(in, shown(name))
	}
	f, err := openfile.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && runtime.GOOS == "windows" && info.Mode()&fs.ModeDevice != 0 {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("it is no file: Windows keeps this name for a device")}
	}
	if err == nil && info.IsDir() {
		return nil, &scanner.DocumentError{
			File: name, Code: scanner.FileEmpty, Message: "the folder holds no documents",
			Advice: "Name the files themselves: in folders only " + extensionWords() + " are looked for.",
		}
	}
	return readAll(f, name)
}

func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxFileBytes {
		return nil, &scanner.DocumentError{
			File: name, Code: "too_large", Message: fmt.Sprintf("larger than %d MiB", maxFileBytes>>20),
			Advice: "Split the document, or verify the page that carries the stamp.",
		}
	}
	return data, nil
}

// isFileError reports whether err is about a file that cannot be opened or
// read, and not about this program.
func isFileError(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path)
}

// unreadable is the JSON answer about a document that could not be read.
type unreadable struct {
	File  string `json:"file"`
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Advice  string `json:"advice,omitempty"`
	} `json:"error"`
}

// reportUnreadable prints, on the error stream and for machines, why a document
// has no answer.
func (a *app) reportUnreadable(name string, err error) error {
	answer := unreadable{File: name}
	answer.Error.Code, answer.Error.Message = "unreadable", err.Error()
	var doc *scanner.DocumentError
	if errors.As(err, &doc) {
		answer.Error.Code, answer.Error.Message, answer.Error.Advice = doc.Code, doc.Message, doc.Advice
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		answer.Error.Message = path.Err.Error()
	}
	fmt.Fprintf(a.std.Err, "tcode-scan: %s: %s\n", escapePath(name), cli.Printable(answer.Error.Message))
	if answer.Error.Advice != "" {
		fmt.Fprintf(a.std.Err, "  %s\n", answer.Error.Advice)
	}
	if !a.out.JSON {
		return nil
	}
	return a.out.Emit(answer, nil)
}
