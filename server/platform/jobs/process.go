package jobs

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
	"runtime"
	"strconv"
	"sync"
	"time"

	"tcode/offline/contain"
)

// An order tells a work process what to do.
type order struct {
	ID      int    `json:"id"` // of the work, in this process
	Kind    Kind   `json:"kind,omitempty"`
	Subject string `json:"subject,omitempty"`
	Owner   string `json:"owner,omitempty"` // of the hold
	Alone   bool   `json:"alone,omitempty"` // nothing else is done meanwhile
	Stop    bool   `json:"stop,omitempty"`  // end the work at a safe point
}

// A report is what a work process says of itself.
type report struct {
	Ready bool    `json:"ready,omitempty"`
	ID    int     `json:"id,omitempty"`   // of the work
	Item  *string `json:"item,omitempty"` // it begins
	Done  bool    `json:"done,omitempty"` // the work returned
	Err   string  `json:"err,omitempty"`  // of the work
}

const (
	// startFor is the time for the start of a work process, which opens the gateway.
	startFor = 2 * time.Minute
	// stopFor is the time for the present item when the gateway ends.
	stopFor = 10 * time.Second
	// readMemory is the interval for reading the memory of a work process.
	readMemory = 100 * time.Millisecond
)

// errIdle means that a work process had ended before it began its work.
var errIdle = errors.New("the work process was gone")

// An endedError means that a work process ended in the middle of its work.
type endedError struct{ item, cause string }

func (e *endedError) Error() string { return "the work process ended: " + e.cause }

// Unwrap makes it a fault of its item.
func (e *endedError) Unwrap() error { return contain.ErrEnded }

// A process is a work process of this gateway.
type process struct {
	cmd    *exec.Cmd
	memory uint64 // the most that it may use, in bytes; 0: any
	ready  chan struct{}
	gone   chan struct{} // closed when the process has ended and all its reports were heard
	end    error         // of the process; it is there when gone is closed

	mu     sync.Mutex // guards the rest
	in     io.WriteCloser
	works  map[int]*listener
	last   int    // id of a work
	killed string // why this gateway ended it; "" if it did not
}

// A listener hears the reports of one work, until it has left.
type listener struct {
	reports chan report
	left    chan struct{}
}

// startProcess starts a work process and waits until it is ready.
func startProcess(ctx context.Context, program func() *exec.Cmd, memory uint64) (*process, error) {
	p := &process{cmd: program(), memory: memory, ready: make(chan struct{}), gone: make(chan struct{}), works: map[int]*listener{}}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start a work process: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a work process: %w", err)
	}
	p.cmd.SysProcAttr = dieWithParent()
	started := make(chan error, 1)
	contain.StartThen("work-process", func() error {
		// The system ends the process with the thread that started it: this one waits for it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return err
		}
		defer close(p.gone)
		p.read(out)
		p.end = p.cmd.Wait()
		return nil
	}, func(err error) {
		select {
		case started <- err: // it panicked before it started
		default:
		}
	})
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start a work process: %w", err)
	}
	limit := time.NewTimer(startFor)
	defer limit.Stop()
	select {
	case <-p.ready:
		return p, nil
	case <-p.gone:
		err = errors.New("it did not become ready")
	case <-limit.C:
		err = fmt.Errorf("it was not ready after %v", startFor)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	p.kill(err.Error())
	<-p.gone
	return nil, fmt.Errorf("start a work process: %w", errors.Join(err, p.end))
}

// read passes the reports on until the process closes its output.
func (p *process) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var r report
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue
		}
		if r.Ready {
			close(p.ready)
			continue
		}
		p.mu.Lock()
		to := p.works[r.ID]
		p.mu.Unlock()
		if to != nil {
			select {
			case to.reports <- r:
			case <-to.left:
			}
		}
	}
}

// join returns the id of a new work, and what hears of it until leave is called.
func (p *process) join() (id int, l *listener, leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	id, l = p.last, &listener{make(chan report), make(chan struct{})}
	p.works[id] = l
	return id, l, func() {
		close(l.left)
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.works, id)
	}
}

// kill ends the process, for a reason.
func (p *process) kill(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed == "" {
		p.killed = why
	}
	_ = p.cmd.Process.Kill() // it may have ended
}

// cause returns why the process ended, after its end.
func (p *process) cause() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.killed != "":
		return p.killed
	case p.end == nil:
		return "exit status 0"
	}
	return p.end.Error()
}

// close ends an idle process.
func (p *process) close() {
	p.in.Close() // it ends by that
	select {
	case <-p.gone:
	case <-time.After(stopFor):
		p.kill("it did not end")
	}
}

func (p *process) tell(o order) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return json.NewEncoder(p.in).Encode(o)
}

// work has the process do the work of a subject. The error is an [*endedError] if the process
// ended meanwhile. quiet is the longest time without a sign of progress.
func (p *process) work(ctx context.Context, o order, quiet time.Duration) error {
	id, heard, leave := p.join()
	defer leave()
	o.ID = id
	if err := p.tell(o); err != nil {
		p.kill("it takes no work")
		return errIdle
	}
	item, begun := "", false
	hang := time.NewTimer(quiet)
	defer hang.Stop()
	memory := time.NewTicker(readMemory)
	defer memory.Stop()
	stop, late := ctx.Done(), (<-chan time.Time)(nil)
	for {
		select {
		case <-p.gone:
			if begun {
				return &endedError{item, p.cause()}
			}
			return errIdle
		case r := <-heard.reports:
			switch {
			case r.Done && r.Err != "":
				return errors.New(r.Err)
			case r.Done:
				return nil
			case r.Item != nil:
				item, begun = *r.Item, true
				hang.Reset(quiet)
			}
		case <-hang.C:
			p.kill(fmt.Sprintf("nothing happened for %v", quiet))
		case <-memory.C:
			if n := memoryOf(p.cmd.Process.Pid); p.memory > 0 && n > p.memory {
				p.kill(fmt.Sprintf("more than %d MiB of memory", p.memory>>20))
			}
		case <-stop:
			stop, late = nil, time.After(stopFor)
			_ = p.tell(order{ID: id, Stop: true}) // if it has ended, that is seen above
		case <-late:
			p.kill("the gateway ended")
		}
	}
}

// memoryOf returns the memory of a process that it shares with no file, in bytes; 0 if the system
// does not say.
func memoryOf(pid int) uint64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 3 {
		return 0
	}
	resident, _ := strconv.ParseUint(string(fields[1]), 10, 64) // the kernel writes numbers
	shared, _ := strconv.ParseUint(string(fields[2]), 10, 64)
	return (resident - min(shared, resident)) * uint64(os.Getpagesize())
}
