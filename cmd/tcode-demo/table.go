package main

import (
	"fmt"
	"io"
	"time"
)

// A table prints one line a step: the action, its expected and its actual
// outcome. It counts the differences.
type table struct {
	w           io.Writer
	started     time.Time
	steps       int
	differences int
}

func newTable(w io.Writer) *table { return &table{w: w, started: time.Now()} }

// chapter begins a group of steps.
func (t *table) chapter(title string) {
	fmt.Fprintf(t.w, "\n%s\n", title)
}

// step prints one step. It prints equal outcomes once.
func (t *table) step(what, want, got string) {
	t.steps++
	if want == got {
		fmt.Fprintf(t.w, "  ok    %-52s %s\n", what, got)
		return
	}
	t.differences++
	fmt.Fprintf(t.w, "  DIFF  %-52s expected %s, got %s\n", what, want, got)
}

func (t *table) sum() {
	fmt.Fprintf(t.w, "\n%d steps, %d as expected, %d different, %.1f s\n",
		t.steps, t.steps-t.differences, t.differences, time.Since(t.started).Seconds())
}
