package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"

	"tcode/scanner/bench/score"
)

// native is zxing-cpp's own program.
const native = "ZXingReader"

// nothingRead is the exit code of tcode-scan for a document without a symbol.
const nothingRead = 1

// measure prints the processor time of both programs for each set.
func measure(ctx context.Context, o options, dir string, out io.Writer) error {
	if _, err := exec.LookPath(native); err != nil {
		return fmt.Errorf("%w: install zxing-cpp-tools", err)
	}
	sets, err := collect(ctx, o, dir)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "processor time of a whole process, ms a picture, medians of %d runs\n\n| pictures without a symbol | n | tcode-scan read | %s | ratio | bar |\n|---|---|---|---|---|---|\n",
		o.runs, native); err != nil {
		return err
	}
	for _, s := range sets {
		own, peer, err := s.measure(ctx, o)
		if err != nil {
			return err
		}
		n := float64(len(s.files))
		if _, err := fmt.Fprintf(out, "| %s | %d | %.1f | %.1f | %.2f | %g |\n", s.name, len(s.files), own/n, peer/n, own/peer, s.bar); err != nil {
			return err
		}
	}
	return nil
}

// measure returns the sums of the medians over the set, ms. The programs run alternately, so that a change of the machine's
// speed meets both.
func (s set) measure(ctx context.Context, o options) (own, peer float64, err error) {
	for _, file := range s.files {
		var times [2][]float64
		for range o.runs {
			for i, cmd := range [...]*exec.Cmd{
				exec.CommandContext(ctx, o.exe, "read", file),
				exec.CommandContext(ctx, native, "-format", "DataMatrix", file),
			} {
				took, code, err := processorTime(cmd)
				if err != nil {
					return 0, 0, fmt.Errorf("%s: %w", file, err)
				}
				if i == 0 && code != nothingRead {
					return 0, 0, fmt.Errorf("%s: exit code %d, want %d: nothing to read", file, code, nothingRead)
				}
				times[i] = append(times[i], took)
			}
		}
		own, peer = own+score.Median(times[0]), peer+score.Median(times[1])
	}
	return own, peer, nil
}

// processorTime runs a program and returns its user and system time, and that of its children, ms.
func processorTime(cmd *exec.Cmd) (ms float64, code int, err error) {
	if err = cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			return 0, 0, err
		}
	}
	st := cmd.ProcessState
	return float64(st.UserTime()+st.SystemTime()) / float64(time.Millisecond), st.ExitCode(), nil
}

// spread returns n elements of list with equal steps between them, or all.
func spread[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return slices.Clip(out)
}
