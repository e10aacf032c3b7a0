// Package sandbox runs code that handles hostile bytes in child processes that can only compute. Call [Main] first in
// main, then [NewPool] and [Pool.Do].
//
// A child is the program itself, started again under another name. Before it reads the first byte of its first task, it
// gives up access to files, network, other programs and other processes. It serves one task at a time:
//
//	parent                                      child (same binary, argv[0] "tcode-sandbox")
//	Pool.Do(ctx, task) --begin, frames----> stdin   Role.Serve(conn)
//	     |             <-------frames, end- stdout  rlimits, no_new_privs, Landlock, seccomp
//	     |             <-4 KiB of it kept- stderr  warnings of C libraries, crash reports
//	     |             --sealed files----> socket  long data, mapped to be read (Linux; elsewhere frames)
//	     '-- deadline, resident memory, ctx: SIGKILL to the process group
//
// Windows has a job object around the child, mitigation policies and a low integrity level instead, macOS rlimits and a
// session: [Containment] says what holds on the system.
//
// If the child crashes, exits, hangs or uses too much memory, Do returns an error; the parent lives on and the next
// task gets a new child. [LimitTogether] bounds the memory of the children of all pools, and [Again] repeats a task that
// had no room in it. Children die with their parent.
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

// Reasons why a task has no answer. [Pool.Do] returns them inside a [*WorkerError].
var (
	ErrCrashed  = errors.New("child process crashed")
	ErrTimeout  = errors.New("child process took too long")
	ErrMemory   = errors.New("child process used too much memory")
	ErrProtocol = errors.New("child process broke the protocol")
	// ErrKilled says that a person, or a system that is short of memory, has killed the child. The task is not the
	// cause, so the caller may try it again.
	ErrKilled = errors.New("child process was killed from outside")
	// ErrStart says that a child could not start or could not restrict itself.
	ErrStart = errors.New("child process did not start")
	// ErrClosed says that the pool is closed.
	ErrClosed = errors.New("sandbox pool is closed")
	// ErrNoMain says that this program did not call [Main] with the role: the child would run the program itself again.
	ErrNoMain = errors.New("program does not call sandbox.Main with this role")
	// ErrFrameTooLarge says that a frame to send, or one that the other side announced, is longer than [MaxFrame].
	ErrFrameTooLarge = errors.New("frame too large")
)

// A Role is one kind of work of a child.
type Role struct {
	Name string // [a-z0-9-]+, unique within the program
	// Prepare, if not nil, runs once in the child, before the child gives up files and new executable memory and before
	// it reads the first byte of a task. It loads the data that Serve needs. arg is Config.Arg. An error ends the
	// child.
	Prepare func(arg string) error
	// Serve handles one task in the child: it receives until io.EOF, which says that the parent sends no more, and
	// sends its answers. A [*TaskError] reaches the parent unchanged, any other error with the code "failed". Serve
	// runs without files, network and other processes; its stdout is stderr.
	Serve func(c *Conn) error
}

// Config describes a [Pool].
type Config struct {
	Role string // name of a role given to Main
	// SlowStart, if not nil, is called when a child takes more than a second to start.
	SlowStart func()
	Arg       func() string // for the Prepare of the role, called at each start of a child; nil: "". The list of processes shows it
	Size      int           // largest number of children; 0: one per usable core
	// MemoryBytes bounds the resident memory of a child: the parent watches it, on Linux, Windows and macOS. On Linux a limit
	// of the address space enforces it too, on Windows one of the committed memory. 0: DefaultMemoryBytes.
	MemoryBytes uint64
	CPUSeconds  int // CPU time of a child from its start to its end; 0: DefaultCPUSeconds
	// Wall bounds each wait for the child, while this process runs: until it takes a frame, until the next frame is
	// complete, until the end of the task. The parent's own work between two frames does not count, so a task of many
	// frames may take longer: bound it by ctx. 0: DefaultWall.
	Wall     time.Duration
	MaxTasks int          // tasks after which the pool replaces a child; 0: DefaultMaxTasks
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

// A TaskError is the child's answer that it cannot do a task: its Serve returned an error. The child still works.
type TaskError struct {
	Code    string // for programs, such as "encrypted"; "failed" if Serve gave none
	Message string // for people, printable; may contain words from the hostile input
}

func (e *TaskError) Error() string {
	if e.Message == "" {
		return e.Code
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// A WorkerError says that a child died or that the pool killed it. It unwraps to one of the sentinels.
type WorkerError struct {
	Role   string
	Err    error  // ErrCrashed, ErrKilled, ErrCrowded, ErrTimeout, ErrMemory, ErrProtocol or ErrStart
	Exit   string // how the process ended, such as "signal: killed"; empty when unknown
	Stderr string // beginning and end of its stderr, at most 4 KiB of hostile bytes: quote them for display
}

func (e *WorkerError) Error() string {
	s := fmt.Sprintf("sandbox %s: %v", e.Role, e.Err)
	if e.Exit != "" {
		s += " (" + e.Exit + ")"
	}
	return s
}

func (e *WorkerError) Unwrap() error { return e.Err }
