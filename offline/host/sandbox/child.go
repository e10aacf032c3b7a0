package sandbox

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
)

// roles holds the names given to Main. It is process-wide because what it guards is: without Main a started child
// would run the program's own main, and that might start children in turn without end.
var roles sync.Map

func registered(role string) bool {
	_, ok := roles.Load(role)
	return ok
}

// Main is the first statement of every main and TestMain whose program uses a [Pool], with every role its pools
// name. In a process that was started as a child it serves tasks and never returns; elsewhere it returns at once.
func Main(rs ...Role) {
	for _, r := range rs {
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

// limits are what a child takes on itself.
type limits struct {
	memoryBytes uint64
	cpuSeconds  uint64
}

// child is the whole life of a child process.
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
	_ = os.Chdir("/") // not to keep a folder in use; where there is no "/" it does not matter
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

// serve answers tasks until the parent closes the pipe.
func serve(r Role, l limits, in io.Reader, out io.Writer) error {
	frames := make(chan frame, 1)
	// The longest frame of one task is read into the memory of that of the task before: a file's worth of new memory
	// costs as much time as many a task, and the old one would be garbage meanwhile.
	spare := make(chan []byte, 1)
	go func() {
		// Reading ahead tells at once that the parent is gone, also in the middle of a long computation.
		br := bufio.NewReaderSize(in, 64<<10)
		for {
			kind, data, err := readFrame(br, spareFor(br, spare))
			if err != nil {
				os.Exit(0)
			}
			f := frame{kind: kind, data: data}
			if kind == kindShared {
				if f.kind, f.mapped, err = takeShared(data); err != nil {
					fmt.Fprintf(os.Stderr, "sandbox child: %v\n", err)
					os.Exit(1)
				}
				f.data = f.mapped
			}
			frames <- f
		}
	}()
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
		end := appendEnd(r.Serve(c), cpuSecondsUsed() > l.cpuSeconds/2)
		if c.ended != nil { // given back before the parent hears of the end, whose next long frame may come at once
			offer(spare, &longest)
		}
		if err := writeFrame(out, kindEnd, end); err != nil {
			return err
		}
		for c.ended == nil { // what the parent sent before it learned that the task is over
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

// offer gives the memory of *longest to the reading of the next tasks, if there is any and none lies there.
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

// spareFor returns the memory for a long frame that br is about to give, if there is some.
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
