package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/bench/score"
	"tcode/scanner/gray"
)

// Size of a camera's frame, px.
const frameW, frameH = 1280, 720

// frameVariants are the variants of pages that come from a camera.
var frameVariants = []string{"persp", "glare", "shadow", "moire"}

// frames cuts camera frames around the symbols of photographed pages, and out of the text of empty
// ones. Our reader as WebAssembly and zxing-wasm read them, in one node process and, where a browser
// is installed, in one page of it.
func frames(ctx context.Context, o options, rows []score.Row, p *teller) ([]*score.Frames, error) {
	dir, err := os.MkdirTemp("", "tcode-bench-frames-")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears its temporary folder too
	var used []*score.Row
	var files []string
	c := o.config(p)
	for i := range rows {
		r := &rows[i]
		cut := frame
		if r.Truth.Variant == pages.Empty {
			cut = textFrame
		} else if !slices.Contains(frameVariants, r.Truth.Variant) {
			continue
		}
		var m gray.Image
		if err := pages.Load(c.File(r.Truth.ID), &m); err != nil {
			return nil, err
		}
		name := filepath.Join(dir, r.Truth.ID+".pgm.gz")
		if err := pages.Save(name, cut(&m, r.Truth)); err != nil {
			return nil, err
		}
		files = append(files, name)
		used = append(used, r)
	}
	if len(used) == 0 {
		return nil, nil
	}
	p.tell(fmt.Sprintf("read %d camera frames", len(used)))
	program, glue, err := buildFrame(ctx, dir)
	if err != nil {
		return nil, err
	}
	var all []*score.Frames
	add := func(where string, answers []score.FrameAnswer, err error) error {
		if err != nil {
			return err
		}
		counts, err := score.CountFrames(where, used, answers)
		all = append(all, counts...)
		return err
	}
	answers, err := inNode(ctx, o, files, "frame.mjs", program, glue)
	if err := add("node", answers, err); err != nil {
		return nil, err
	}
	browser := findBrowser(o.browser)
	if browser == "" {
		return all, nil
	}
	answers, err = inNode(ctx, o, files, "browser.mjs", browser, program, glue)
	return all, add("headless "+filepath.Base(browser), answers, err)
}

// buildFrame builds our reader for js/wasm into dir and finds the script that
// starts it.
func buildFrame(ctx context.Context, dir string) (program, glue string, err error) {
	program = filepath.Join(dir, "frame.wasm")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "tcode/scanner/bench/frame")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if msg, err := build.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("build for js/wasm: %w: %s", err, msg)
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", "", fmt.Errorf("go env: %w", err)
	}
	return program, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"), nil
}

// inNode runs a script of the peers' folder in node, which shows the frames in files to
// both readers. It returns the lines that the script prints, one for each frame.
func inNode(ctx context.Context, o options, files []string, script string, args ...string) ([]score.FrameAnswer, error) {
	cmd := exec.CommandContext(ctx, "node", append([]string{script}, args...)...)
	cmd.Dir, cmd.Stdin, cmd.Stderr = o.peerDir, strings.NewReader(strings.Join(files, "\n")), os.Stderr
	raw, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("camera frames: %w: %w", readers.ErrPeer, err)
	}
	var out []score.FrameAnswer
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a score.FrameAnswer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return nil, fmt.Errorf("camera frames: %w", err)
		}
		out = append(out, a)
	}
	return out, lines.Err()
}

// browsers are the names of programs that can show frame.html.
var browsers = []string{"chromium", "chromium-browser", "google-chrome"}

// findBrowser returns the program named by the user, or the first of browsers that is
// installed, or an empty string.
func findBrowser(given string) string {
	if given != "" {
		return given
	}
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// frame returns the part of a page that a camera shows, with the symbol a bit off its
// middle and a dark ground beyond the edges of the page.
func frame(m *gray.Image, t pages.Truth) *gray.Image {
	var c gray.Point
	for _, p := range t.Corners {
		c = c.Add(p.Mul(0.25))
	}
	x0 := int(c.X) - frameW/2 + (t.Base%7-3)*40
	y0 := int(c.Y) - frameH/2 + (t.Base%5-2)*40
	out := gray.New(frameW, frameH)
	out.Fill(60)
	for y := range frameH {
		if y0+y < 0 || y0+y >= m.Height {
			continue
		}
		from, to := max(0, x0), min(m.Width, x0+frameW)
		if from < to {
			copy(out.Row(y)[from-x0:], m.Row(y0 + y)[from:to])
		}
	}
	return out
}
