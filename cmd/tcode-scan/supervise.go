package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/contain"
)

// verify of several documents and watch do their work in a second process of this program, the
// worker, because some faults end a process (offline/contain). The first process reads no document.
// It starts another worker when one ends, and knows which documents were in work then:
//
//	tcode-scan verify DIR
//	  |--order: names, counts, ends--> worker   judges, records; watch prints
//	  |<-report: begin, end, counts,--    |
//	  |  answers of verify (printed here) |
//	  |                                   the worker ends: ends[what was in work]++
//	  |--order-----------------------> worker   goes on; such documents one at a time
//
// A document that was in work at the end of two workers, the second time alone, is not tried again.
// If the first process is killed its worker ends with it, and nothing is blamed.

// An order says what a worker has to do.
type order struct {
	Names  []string       `json:"names,omitempty"`  // of all documents of verify
	Counts map[string]int `json:"counts,omitempty"` // that the workers before had reached
	Ends   map[string]int `json:"ends,omitempty"`   // by item: workers that ended while it was in work
}

// A report is what a worker says of itself.
type report struct {
	Begin  string         `json:"begin,omitempty"` // an item is in work
	End    string         `json:"end,omitempty"`   // it is not any more
	Counts map[string]int `json:"counts,omitempty"`
	Out    []byte         `json:"out,omitempty"`  // to print: with End, once for each document
	Err    []byte         `json:"err,omitempty"`  // to print on the error output, after Out
	Done   bool           `json:"done,omitempty"` // the command has returned
}

const (
	// maxEnds is the number of workers that an item may end.
	maxEnds = 2
	// endLate is the time between the forced ends of a worker and of the process that started it.
	endLate = 10 * time.Second
	// killedTogether is the wait after a worker was killed: who kills all processes of this program
	// kills the worker first now and then.
	killedTogether = time.Second
)

// setAside is why a document is not tried again.
const setAside = "this program ended twice while it judged this file, so it is not tried again until it changes; this says nothing about the document"

// supervise has workers do the command until one returns. It prints what they report, and calls
// ended for each item that is not in work any more. It calls sum with the counts if the worker cannot
// say them any more.
func (a *app) supervise(
	ctx context.Context, o order, ended func(), sum func(counts map[string]int),
) error {
	cli.EndWithin(ctx, cli.EndTime+endLate)
	o.Counts, o.Ends = map[string]int{}, map[string]int{}
	for {
		w, err := startWorker(o)
		if err != nil {
			return fmt.Errorf("start the process that judges documents: %w", err)
		}
		code, again, err := w.follow(ctx, a, &o, ended)
		switch {
		case err != nil:
			return err
		case again:
			continue
		case !w.done:
			sum(o.Counts)
		case code == cli.CodeOK:
			return nil
		}
		return cli.Exit(code, nil)
	}
}

// A workerProcess is a worker, as the process that started it sees it.
type workerProcess struct {
	cmd     *exec.Cmd
	tell    *os.File // the worker ends when it is closed
	reports chan report
	oom     string // see outOfMemory, before its start
	inWork  map[string]bool
	spoke   bool // it has reported something
	done    bool
}

// startWorker starts this program once more, with the same arguments and streams.
func startWorker(o order) (*workerProcess, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if runtime.GOOS == "linux" {
		exe = "/proc/self/exe" // this very program, also after an upgrade has replaced its file
	}
	in, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	hear, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), tell.Close())
	}
	w := &workerProcess{tell: tell, reports: make(chan report, 64), oom: outOfMemory(), inWork: map[string]bool{}}
	w.cmd = &exec.Cmd{Path: exe, Args: os.Args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ()}
	if err = inherit(w.cmd, in, out); err == nil {
		err = w.cmd.Start()
	}
	in.Close()
	out.Close()
	if err != nil {
		return nil, errors.Join(err, tell.Close(), hear.Close())
	}
	contain.StartThen("worker-reports", func() error {
		for from := json.NewDecoder(hear); ; {
			var r report
			if err := from.Decode(&r); err != nil {
				return err // the end of the worker
			}
			w.reports <- r
		}
	}, func(error) {
		hear.Close()
		close(w.reports)
	})
	// A worker that ended already is seen by its reports.
	contain.Start("worker-order", func() error { return json.NewEncoder(tell).Encode(o) })
	return w, nil
}

// follow waits for the end of the worker and notes its work in o. It returns the exit code of
// the program, or that another worker shall go on. The error is one of printing.
func (w *workerProcess) follow(
	ctx context.Context, a *app, o *order, ended func(),
) (code int, again bool, err error) {
	defer w.tell.Close()
	end := ctx.Done()
	for open := true; open; {
		var r report
		select {
		case r, open = <-w.reports:
			w.note(o, r)
			if err := a.say(r); err != nil {
				return 0, false, err
			}
			if r.End != "" {
				ended()
			}
		case <-end:
			end = nil
			contain.Start("worker-end", func() error { return json.NewEncoder(w.tell).Encode(order{}) })
		}
	}
	err = w.cmd.Wait()
	code = w.cmd.ProcessState.ExitCode()
	switch {
	case w.done:
		return code, false, nil
	case ctx.Err() != nil:
		if code < 0 {
			code = cli.CodeInterrupted
		}
		return code, false, nil
	case wasKilled(w.cmd.ProcessState):
		time.Sleep(killedTogether)
	}
	why := "exit status 0"
	if err != nil {
		why = err.Error()
	}
	return cli.CodeFailed, w.blame(a, o, why), nil
}

// say prints what a worker reports. A worker does not print answers itself: if it ended after that
// and before its report, the next one would print them again.
func (a *app) say(r report) error {
	if len(r.Out) > 0 {
		if _, err := a.out.W.Write(r.Out); err != nil {
			return fmt.Errorf("write answer: %w", err)
		}
	}
	if len(r.Err) > 0 {
		_, _ = a.std.Err.Write(r.Err)
	}
	return nil
}

// note notes a report.
func (w *workerProcess) note(o *order, r report) {
	w.spoke = true
	w.done = w.done || r.Done
	if r.Begin != "" {
		w.inWork[r.Begin] = true
	}
	delete(w.inWork, r.End)
	if r.Counts != nil {
		o.Counts = r.Counts
	}
}

// blame counts the end of a worker for what was in work, and says so. It reports whether another worker
// shall go on.
func (w *workerProcess) blame(a *app, o *order, why string) (again bool) {
	// A worker bounds its memory, so only a person kills it, or a system whose memory others use up.
	outside := wasKilled(w.cmd.ProcessState) && w.oom != "" && w.oom == outOfMemory()
	if again = w.spoke && (outside || len(w.inWork) > 0); !again {
		fmt.Fprintf(a.std.Err, "tcode-scan: the process that judges documents ended (%s)\n", why)
		return false
	}
	var names []string
	for _, item := range slices.Sorted(maps.Keys(w.inWork)) {
		if item == stdin || !outside {
			o.Ends[item]++
		}
		again = again && o.Ends[item] <= maxEnds // an item that is not tried again ends no worker
		names = append(names, escapePath(shown(itemName(item))))
	}
	fmt.Fprintf(a.std.Err, "tcode-scan: the process that judges documents ended (%s), and another one goes on; in work: %s\n",
		why, strings.Join(names, ", "))
	return again
}
