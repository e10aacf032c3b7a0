// Package sandbox runs code that handles hostile bytes in child processes that can do nothing but compute.
//
// A child is the program itself, started again under another name. It gives up files, network, other programs and
// other processes before it reads the first byte of its first task, and serves tasks one at a time:
//
//	parent                                      child (same binary, argv[0] "tcode-sandbox")
//	Pool.Do(ctx, task) --begin, frames----> stdin   Role.Serve(conn)
//	     |             <-------frames, end- stdout  rlimits, no_new_privs, Landlock, seccomp
//	     |             <-4 KiB of it kept- stderr  warnings of C libraries, crash reports
//	     |             --sealed files----> socket  long data, mapped to be read (Linux; elsewhere frames)
//	     '-- deadline, resident memory, ctx: SIGKILL to the process group
//
// Whatever the child does (crash, exit, never return, eat memory) ends in an error of Do; the parent lives on and
// the next task gets a fresh child. [LimitTogether] bounds the memory of the children of all pools. Children die with their parent.
package sandbox

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"
)

// Defaults of [Config].
const (
	DefaultMemoryBytes = 512 << 20
	DefaultCPUSeconds  = 600
	DefaultWall        = 15 * time.Second
	DefaultMaxTasks    = 200
)

// Reasons why a task came to no answer. [Pool.Do] returns them inside a [*WorkerError].
var (
	ErrCrashed  = errors.New("child process crashed")
	ErrTimeout  = errors.New("child process took too long")
	ErrMemory   = errors.New("child process used too much memory")
	ErrProtocol = errors.New("child process broke the protocol")
	// ErrKilled says that somebody else has killed the child: a person, or a system that is short of memory. The task
	// is not to blame for that, and may be tried again.
	ErrKilled = errors.New("child process was killed from outside")
	// ErrStart says that no child could be started or that it could not restrict itself.
	ErrStart = errors.New("child process did not start")
	// ErrClosed says that the pool is closed.
	ErrClosed = errors.New("sandbox pool is closed")
	// ErrNoMain says that this program did not call [Main] with the wanted role: starting a child would run the
	// program itself again.
	ErrNoMain = errors.New("program does not call sandbox.Main with this role")
	// ErrFrameTooLarge says that a frame longer than [MaxFrame] was to be sent or was announced by the other side.
	ErrFrameTooLarge = errors.New("frame too large")
)

// Role is one kind of work a child can do.
type Role struct {
	Name string // [a-z0-9-]+, unique within the program
	// Prepare, if not nil, runs in the child once, before it gives up files and new executable memory and before it
	// reads the first byte of a task: it loads what Serve needs. arg is Config.Arg. An error ends the child.
	Prepare func(arg string) error
	// Serve handles one task in the child: it receives until io.EOF, which says that the parent has nothing more to
	// ask, and sends its answers. A [*TaskError] reaches the parent as it is, any other error as code "failed".
	// Serve runs with no files, no network and no other process; its stdout is stderr.
	Serve func(c *Conn) error
}

// Config describes a [Pool].
type Config struct {
	Role string // name of a role given to Main
	// SlowStart, if not nil, is called when a child takes more than a second to start.
	SlowStart func()
	Arg       func() string // for the Prepare of the role, asked for at each start of a child; nil: "". It shows in the list of processes
	Size      int           // children at most; 0: one per usable core
	// MemoryBytes bounds the resident memory of a child: on Linux its address space is bounded so that it cannot have
	// more, and the parent watches what is resident. Elsewhere the role must bound itself. 0: DefaultMemoryBytes.
	MemoryBytes uint64
	CPUSeconds  int // CPU time of a child over its whole life; 0: DefaultCPUSeconds
	// Wall bounds every single wait for the child: until a sent frame is taken, until the next frame is complete,
	// until the end of the task. It does not count while the parent itself works between two frames, so a task of
	// many frames may take longer: bound that by ctx. 0: DefaultWall.
	Wall     time.Duration
	MaxTasks int          // tasks after which a child is replaced; 0: DefaultMaxTasks
	Log      *slog.Logger // nil: silent
}

func (c Config) withDefaults() Config {
	if c.Size <= 0 {
		c.Size = runtime.GOMAXPROCS(0)
	}
	if c.MemoryBytes == 0 {
		c.MemoryBytes = DefaultMemoryBytes
	}
	c.MemoryBytes *= memoryScale
	if c.CPUSeconds <= 0 {
		c.CPUSeconds = DefaultCPUSeconds
	}
	if c.Wall <= 0 {
		c.Wall = DefaultWall
	}
	if c.MaxTasks <= 0 {
		c.MaxTasks = DefaultMaxTasks
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// TaskError is the child's own answer that a task cannot be done: its Serve returned an error. The child is well.
type TaskError struct {
	Code    string // for programs, such as "encrypted"; "failed" when Serve gave none
	Message string // for people, printable; may hold words taken from the hostile input
}

func (e *TaskError) Error() string {
	if e.Message == "" {
		return e.Code
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// WorkerError says that a child died or had to be ended. It unwraps to one of the sentinels.
type WorkerError struct {
	Role   string
	Err    error  // ErrCrashed, ErrKilled, ErrTimeout, ErrMemory, ErrProtocol or ErrStart
	Exit   string // how the process ended, such as "signal: killed"; empty when unknown
	Stderr string // beginning and end of its stderr, 4 KiB at most: hostile bytes, to be quoted when shown
}

func (e *WorkerError) Error() string {
	s := fmt.Sprintf("sandbox %s: %v", e.Role, e.Err)
	if e.Exit != "" {
		s += " (" + e.Exit + ")"
	}
	return s
}

func (e *WorkerError) Unwrap() error { return e.Err }
