package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// spinning is the variable of a busy process.
const spinning = "TCODE_BENCH_SPIN"

// spin never returns in a busy process, which ends with its standard input.
func spin() {
	if os.Getenv(spinning) == "" {
		return
	}
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
	for i := uint64(1); i != 0; i += 2 { // never 0
	}
}

// startBusy starts n processes that do nothing but use a processor. stop ends them.
func startBusy(ctx context.Context, n int) (stop func(), err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var all []*exec.Cmd
	var ends []io.Closer
	stop = func() {
		for i, cmd := range all {
			ends[i].Close()
			_ = cmd.Wait()
		}
	}
	for range n {
		cmd := exec.CommandContext(ctx, exe)
		cmd.Env = append(os.Environ(), spinning+"=1", "GOMAXPROCS=1")
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			stop()
			return nil, fmt.Errorf("start a busy process: %w", err)
		}
		all, ends = append(all, cmd), append(ends, in)
	}
	return stop, nil
}

// An answer is a line of tcode-scan --json read.
type answer struct {
	File    string `json:"file"`
	Symbols []struct {
		Text string `json:"text"`
	} `json:"symbols"`
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// texts returns the texts of an answer, one after the other.
func (a answer) texts() string {
	var all []string
	for _, s := range a.Symbols {
		all = append(all, s.Text)
	}
	slices.Sort(all)
	return strings.Join(all, "\x00")
}

// underLoad reads all images of the corpus on the machine as it is, then with busy processes, and prints the losses.
func underLoad(ctx context.Context, o options, out io.Writer) error {
	quiet, err := readAll(ctx, o)
	if err != nil {
		return err
	}
	stop, err := startBusy(ctx, o.busy)
	if err != nil {
		return err
	}
	busy, err := readAll(ctx, o)
	stop()
	if err != nil {
		return err
	}
	read, lost, ended := 0, 0, 0
	for file, a := range quiet {
		b := busy[file]
		if a.texts() != "" {
			read++
		}
		switch {
		case b.Error.Code != "":
			ended++
			fmt.Fprintf(out, "ended: %s: %s\n", file, b.Error.Message)
		case a.texts() != b.texts():
			lost++
			fmt.Fprintf(out, "differs: %s\n", file)
		}
	}
	_, err = fmt.Fprintf(out, "%d pictures, %d of them read; with %d busy processes: %d ended without an answer, %d read differently\n",
		len(quiet), read, o.busy, ended, lost)
	return err
}

// readAll returns the answers of one process about all images of the corpus, by file.
func readAll(ctx context.Context, o options) (map[string]answer, error) {
	cmd := exec.CommandContext(ctx, o.exe, "--json", "read", filepath.Join(o.corpus, "images"))
	raw, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() == 2 {
			return nil, fmt.Errorf("read the images of the corpus: %w", err)
		}
	}
	all := map[string]answer{}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return nil, fmt.Errorf("an answer of tcode-scan: %w", err)
		}
		all[a.File] = a
	}
	return all, lines.Err()
}
