package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"tcode/offline/contain"
	"tcode/offline/host/awake"
)

// argv0 is the name of a started child; a process cannot inherit an argument by accident, as it can a variable.
const argv0 = "tcode-sandbox"

// startWall is how long a child may take to start: it takes 30 ms on an idle machine, and seconds on a machine that
// swaps or for a role that prepares much.
const startWall = 5 * time.Minute

// slowStart is the time after which [Config.SlowStart] is called.
const slowStart = time.Second

// A worker is the parent's side of one child.
type worker struct {
	cfg         Config
	cmd         *exec.Cmd
	in, out     *os.File // our ends of its stdin and stdout
	share       *os.File // our end of the socket for files; nil if there is none
	fence       fence    // what the parent holds around the child
	stderr      *tail
	protections string
	tasks       int
	worn        bool // do not use again: half of its CPU time is used, or it is being killed

	dead chan struct{} // closed when the process has ended and its stderr is read to the end
	exit string        // how the process ended; read it after dead

	// mu guards reason, the first reason why the parent killed the child.
	mu     sync.Mutex
	reason error
}

// A starter starts processes from one OS thread that lives as long as the pool: Linux sends the parent-death signal
// when the starting thread ends, not when the process ends.
type starter struct {
	jobs chan func()
	done chan struct{}
	once sync.Once
}

func newStarter() *starter {
	return &starter{jobs: make(chan func()), done: make(chan struct{})}
}

func (s *starter) start(cfg Config) (w *worker, err error) {
	s.once.Do(s.begin)
	ready := make(chan struct{})
	job := func() {
		defer close(ready)
		err = contain.Do("child-start", func() (err error) {
			w, err = startWorker(cfg)
			return err
		})
	}
	select {
	case s.jobs <- job:
		<-ready
		return w, err
	case <-s.done:
		return nil, ErrClosed
	}
}

// begin starts the starter's thread, again if it panics.
func (s *starter) begin() {
	contain.StartThen("child-starter", func() error { s.run(); return nil }, func(err error) {
		if err != nil {
			s.begin()
		}
	})
}

// stop ends the starter's thread. Every child that it started has ended by then.
func (s *starter) stop() { close(s.done) }

func startWorker(cfg Config) (*worker, error) {
	exe, err := executable()
	if err != nil {
		return nil, err
	}
	closeOnExec()
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	widenPipe(in)
	widenPipe(out)
	share, childShare, err := newShare()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close(), out.Close(), childOut.Close())
	}
	arg := ""
	if cfg.Arg != nil {
		arg = cfg.Arg()
	}
	w := &worker{cfg: cfg, in: in, out: out, share: share, stderr: new(tail), dead: make(chan struct{})}
	w.cmd = &exec.Cmd{
		Path:   exe,
		Args:   []string{argv0, cfg.Role, strconv.FormatUint(cfg.MemoryBytes, 10), strconv.Itoa(cfg.CPUSeconds), arg},
		Env:    childEnv(cfg),
		Stdin:  childIn,
		Stdout: childOut,
		Stderr: w.stderr, // package exec reads it by a pipe and a goroutine
		// Under the seccomp filter a child cannot start processes; on other systems such a process must not keep Wait
		// waiting.
		WaitDelay:   time.Second,
		SysProcAttr: sysProcAttr(),
	}
	if childShare != nil {
		w.cmd.ExtraFiles = []*os.File{childShare}
	}
	err = w.cmd.Start()
	childIn.Close()
	childOut.Close()
	childShare.Close()
	if err == nil { // the child has no byte of a task before this
		if w.fence, err = newFence(w.cmd.Process, cfg); err != nil {
			killGroup(w.cmd.Process)
			_ = w.cmd.Wait() // killed
		}
	}
	if err != nil {
		in.Close()
		out.Close()
		share.Close()
		return nil, err
	}
	contain.StartThen("child-wait", w.cmd.Wait, func(err error) {
		if contain.Fault(err) { // nothing waits for it yet
			killGroup(w.cmd.Process)
			_ = w.cmd.Wait() // killed
		}
		w.exit = w.cmd.ProcessState.String() // it has more information than the error
		close(w.dead)
	})
	return w, nil
}

// childEnv returns the child's whole environment. The Go runtime and glibc read it before main, which clears it.
func childEnv(cfg Config) []string {
	return append(contain.SeedFor(cfg.Role),
		// A task is the work of one thread. With more, the runtime wakes threads to look for work, and a start costs 2 ms
		// of 6 more. With a number, the runtime reads no cgroup files.
		"GOMAXPROCS=1",
		"GOTRACEBACK=single",
		// Between two tasks little is in use, so that the default would collect garbage every 4 MiB: a millisecond each time.
		"GOGC=400",
		"GOMEMLIMIT="+strconv.FormatUint(cfg.MemoryBytes/4*3, 10),
		"MALLOC_ARENA_MAX=2", // glibc reserves 64 MiB of address space for each arena
	)
}

// hello waits until the child says that it is restricted.
func (w *worker) hello(ctx context.Context) error {
	defer w.endOn(ctx)()
	w.note(starting)
	defer w.check(starting, func(memory) {})()
	var kind byte
	var data []byte
	err := w.within(startWall, w.out.SetReadDeadline, func() (err error) {
		kind, data, err = readFrame(w.out, nil)
		return err
	})
	if err == nil {
		err = w.fence.bound(w.cmd.Process, w.cfg)
	}
	if err != nil {
		return fmt.Errorf("wait for child to be ready: %w", err)
	}
	if kind != kindHello {
		return fmt.Errorf("first frame of child has kind %#x: %w", kind, ErrProtocol)
	}
	w.protections = string(data)
	return nil
}

// within runs one transfer with the child and bounds it by wall, during which this process runs. The end of the child ends
// the transfer; if another process keeps the pipe open, its deadline does, which set sets. Pipes of Windows have none.
func (w *worker) within(wall time.Duration, set func(time.Time) error, transfer func() error) error {
	defer awake.AfterFunc(wall, func() {
		w.kill(ErrTimeout)
		_ = set(time.Now().Add(time.Second)) // see above
	})()
	return transfer()
}

// conn returns the parent's end of a task: every wait for the child is bounded.
func (w *worker) conn() *Conn {
	return &Conn{
		send: func(kind byte, data ...[]byte) error {
			return w.within(w.cfg.Wall, w.in.SetWriteDeadline, func() error { return writeFrame(w.in, kind, data...) })
		},
		recv: func(buffer []byte) (kind byte, data []byte, err error) {
			err = w.within(w.cfg.Wall, w.out.SetReadDeadline, func() (err error) {
				kind, data, err = readFrame(w.out, buffer)
				return err
			})
			return kind, data, err
		},
	}
}

// do runs one task on a living child.
func (w *worker) do(ctx context.Context, task func(*Conn) error) error {
	w.tasks++
	conn := w.conn()
	work := newWorkClock(w.cpuTime)
	conn.used = work.read
	defer work.stop()
	var broken error // first failure of a pipe
	note := func(err error) error {
		if err != nil && broken == nil {
			broken = err
		}
		return err
	}
	if w.share != nil {
		conn.share = func(f *os.File) error { return note(passFile(w.share, f)) }
	}
	send, recv := conn.send, conn.recv
	conn.send = func(kind byte, data ...[]byte) error {
		defer work.wait()()
		err := send(kind, data...)
		if errors.Is(err, ErrFrameTooLarge) {
			return err // nothing was written: the pipe still works
		}
		return note(err)
	}
	conn.recv = func(buffer []byte) (byte, []byte, error) {
		defer work.wait()()
		kind, data, err := recv(buffer)
		if err == nil && kind >= firstReserved && kind != kindEnd {
			err = fmt.Errorf("frame of kind %#x: %w", kind, ErrProtocol)
		}
		if err == nil && kind == kindEnd {
			w.worn = len(data) > 0 && data[0] == endWorn
		}
		return kind, data, note(err)
	}

	tell := conn.send
	conn.finish = func() error { return tell(kindFinish) }
	defer w.endOn(ctx)()
	defer w.watch(phaseOf(ctx))()
	err := note(conn.send(kindBegin, contain.SeedTask(ctx, "child-"+w.cfg.Role)))
	if err == nil {
		err = task(conn)
	}
	if broken == nil {
		note(conn.Finish())
	}
	conn.finish = nil // a task that keeps the Conn cannot end another task
	// The parent discards frames that the task did not read, but for at most Wall.
	rest := awake.Start()
	defer rest.Stop()
	for conn.ended == nil && broken == nil {
		if _, _, rerr := conn.Receive(); rerr == nil && rest.Elapsed() > w.cfg.Wall {
			note(os.ErrDeadlineExceeded)
		}
	}
	if broken != nil {
		return w.autopsy(ctx, broken)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if te, ok := errors.AsType[*TaskError](conn.ended); ok {
		return te
	}
	return err
}

// autopsy ends the child after a failed exchange and returns the reason.
func (w *worker) autopsy(ctx context.Context, broken error) error {
	switch {
	case errors.Is(broken, os.ErrDeadlineExceeded):
		w.kill(ErrTimeout)
	case errors.Is(broken, ErrProtocol), errors.Is(broken, ErrFrameTooLarge):
		w.kill(fmt.Errorf("%w: %w", ErrProtocol, broken))
	}
	select {
	case <-w.dead: // by itself, or killed from outside
	case <-time.After(time.Second):
		w.kill(ErrCrashed) // it has closed its pipe and still runs
	}
	w.stop()
	w.mu.Lock()
	reason := w.reason
	w.mu.Unlock()
	stderr := w.stderr.String()
	switch {
	case reason != nil && ctx.Err() != nil && errors.Is(reason, context.Cause(ctx)):
		return reason
	case reason == nil && saysOutOfMemory(stderr):
		reason = ErrMemory
	case reason == nil && w.cpuSpent():
		reason = ErrTimeout
	case reason == nil && wasKilled(w.cmd.ProcessState):
		reason = ErrKilled
	case reason == nil:
		reason = ErrCrashed
	}
	return &WorkerError{Role: w.cfg.Role, Err: reason, Exit: w.exit, Stderr: stderr}
}

// saysOutOfMemory recognises the last words of the Go runtime ("fatal error: runtime: out of memory", "runtime: cannot
// allocate memory", "pthread_create failed" for lack of a stack), MuPDF ("malloc of N bytes failed") and, in a binary
// built with -race, the race detector ("ThreadSanitizer: failed to allocate", "too many address space collisions"). The
// address space limit leaves no other trace.
func saysOutOfMemory(stderr string) bool {
	for _, s := range []string{"out of memory", "cannot allocate memory", "Cannot allocate memory", "bytes failed", "failed to allocate", "address space collisions", "pthread_create failed"} {
		if strings.Contains(stderr, s) {
			return true
		}
	}
	return false
}

// endOn kills the child when ctx ends. The returned function stops that, or marks the child as not reusable if it is
// too late.
func (w *worker) endOn(ctx context.Context) (stop func()) {
	f := contain.AfterFunc(ctx, "child-cancel", func() { w.kill(context.Cause(ctx)) })
	return func() {
		if !f() {
			w.worn = true
		}
	}
}

// kill ends the child's process group. It keeps the first reason.
func (w *worker) kill(reason error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reason == nil {
		w.reason = reason
	}
	if w.alive() {
		killGroup(w.cmd.Process)
	}
}

// stop ends the child and waits until its process is gone.
func (w *worker) stop() {
	w.in.Close()
	w.out.Close()
	w.share.Close()
	if w.alive() {
		killGroup(w.cmd.Process)
	}
	<-w.dead
	w.fence.close()
	w.forget()
}

// spared reports whether the parent has not killed the child.
func (w *worker) spared() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reason == nil
}

func (w *worker) alive() bool {
	select {
	case <-w.dead:
		return false
	default:
		return true
	}
}
