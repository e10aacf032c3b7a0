package sandbox

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"

	"tcode/offline/contain"
)

// roles holds the names given to Main. It is process-wide because it protects a process: without Main a started child
// would run the program's own main, which could start children again without end.
var roles sync.Map

func registered(role string) bool {
	_, ok := roles.Load(role)
	return ok
}

// Main must be the first statement of every main and TestMain whose program uses a [Pool], with every role that its
// pools name. In a process that was started as a child it serves tasks and never returns; otherwise it returns
// immediately.
func Main(rs ...Role) {
	for _, r := range append(rs, Role{Name: probeRole, Prepare: prepareProbe, Serve: probe}) {
		roles.Store(r.Name, r)
	}
	if len(os.Args) != 5 || os.Args[0] != argv0 {
		return
	}
	code := 0
	if err := child(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintf(os.Stderr, "sandbox child: %v\n", err)
		code = 1
	}
	os.Exit(code)
}

// limits are the limits that a child sets on itself.
type limits struct {
	memoryBytes uint64
	cpuSeconds  uint64
}

// child runs a child process from start to end.
func child(role, memory, cpu, arg string) error {
	known, ok := roles.Load(role)
	if !ok {
		return fmt.Errorf("unknown role %q", role)
	}
	r := known.(Role)
	var l limits
	var err error
	if l.memoryBytes, err = strconv.ParseUint(memory, 10, 64); err != nil {
		return fmt.Errorf("memory limit: %w", err)
	}
	if l.cpuSeconds, err = strconv.ParseUint(cpu, 10, 32); err != nil {
		return fmt.Errorf("CPU limit: %w", err)
	}
	os.Clearenv()
	_ = os.Chdir("/") // so that no folder is in use; a system without "/" does not need it
	frames, err := takeStdout()
	if err != nil {
		return fmt.Errorf("set stdout aside: %w", err)
	}
	in := os.Stdin
	if r.Prepare != nil {
		if err := r.Prepare(arg); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	protections, err := restrict(l)
	if err != nil {
		return fmt.Errorf("restrict: %w", err)
	}
	if err := writeFrame(frames, kindHello, []byte(protections)); err != nil {
		return err
	}
	return serve(r, l, in, frames)
}

type frame struct {
	kind   byte
	data   []byte
	mapped mapping // data, if it is shared
}

// errNoParent means that the parent closed the pipe.
var errNoParent = errors.New("the parent is gone")

// readAhead passes the parent's frames on until it fails.
func readAhead(in io.Reader, frames chan<- frame, spare <-chan []byte) error {
	br := bufio.NewReaderSize(in, 64<<10)
	for {
		kind, data, err := readFrame(br, spareFor(br, spare))
		if err != nil {
			return errNoParent
		}
		f := frame{kind: kind, data: data}
		if kind == kindShared {
			if f.kind, f.mapped, err = takeShared(data); err != nil {
				return err
			}
			f.data = f.mapped
		}
		frames <- f
	}
}

// serve answers tasks until the parent closes the pipe.
func serve(r Role, l limits, in io.Reader, out io.Writer) error {
	frames := make(chan frame, 1)
	// The longest frame of a task is read into the memory of the last task's longest frame: allocating that much memory
	// takes as long as many tasks, and the old memory would be garbage.
	spare := make(chan []byte, 1)
	contain.Start("child-end", func() error {
		// Reading ahead detects immediately that the parent is gone, also during a long computation.
		err := contain.Do("child-frames", func() error { return readAhead(in, frames, spare) })
		if errors.Is(err, errNoParent) {
			os.Exit(0)
		}
		fmt.Fprintf(os.Stderr, "sandbox child: %v\n", err)
		os.Exit(1)
		return nil
	})
	var longest []byte
	for f := range frames {
		if f.kind != kindBegin {
			return fmt.Errorf("frame of kind %#x outside of a task: %w", f.kind, ErrProtocol)
		}
		c := &Conn{send: func(kind byte, data ...[]byte) error { return writeFrame(out, kind, data...) }}
		c.recv = func([]byte) (byte, []byte, error) {
			f := <-frames
			if f.mapped != nil {
				c.shared = append(c.shared, f.mapped)
			} else if cap(f.data) > max(growStep, cap(longest)) {
				longest = f.data
			}
			return f.kind, f.data, nil
		}
		contain.Seed("child-" + r.Name)
		contain.SeedTaken(f.data)
		end := appendEnd(r.Serve(c), cpuSecondsUsed() > l.cpuSeconds/2)
		if c.ended != nil { // before the parent learns of the end, because its next long frame may come immediately
			offer(spare, &longest)
		}
		if err := writeFrame(out, kindEnd, end); err != nil {
			return err
		}
		for c.ended == nil { // frames that the parent sent before it learned that the task is over
			_, _, _ = c.Receive()
		}
		offer(spare, &longest)
		for _, m := range c.shared {
			if err := m.unmap(); err != nil {
				return err
			}
		}
	}
	return nil
}

// offer makes the memory of *longest available to the next tasks, unless it is empty or other memory is available
// already.
func offer(spare chan<- []byte, longest *[]byte) {
	if *longest == nil {
		return
	}
	select {
	case spare <- *longest:
	default:
	}
	*longest = nil
}

// spareFor returns spare memory for a long frame that comes next in br, if there is some.
func spareFor(br *bufio.Reader, spare <-chan []byte) []byte {
	head, err := br.Peek(headerLen)
	if err != nil || binary.BigEndian.Uint32(head[1:]) <= growStep {
		return nil
	}
	select {
	case b := <-spare:
		return b
	default:
		return nil
	}
}
