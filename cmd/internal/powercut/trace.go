// Package powercut simulates power cuts on a folder. It records the file
// operations of a program, and makes the states in which the folder may be
// after a power cut. Start with [Strace], [Before] and [Log.Read], then call
// [Log.Cut].
//
//	program ─▶ strace ─▶ Log ──Cut(at)──▶ files as a disk may hold them, and the output by then
//
// A disk promises little. The bytes of a write are safe after an fsync of the file
// that began after the write has returned; a name is safe after an fsync of its
// folder. Any part of the rest may be on disk, in any order, and half of a write.
package powercut

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Strace returns the arguments that make strace append a program's file
// operations to the trace; the program's own arguments follow.
func Strace(trace string) []string {
	return []string{
		"-f", "-q", "-y", "-xx", "-s", "1000000", "--seccomp-bpf", "-A", "-o", trace, "-e",
		"trace=open,openat,creat,write,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,link,linkat",
	}
}

type op int

const (
	write op = iota
	truncate
	create // an empty file, unless there is one
	rename
	link
	unlink
	sync // of a file or a folder
	say  // a write to anything but a file of the folder
)

// An event is one system call that succeeded.
type event struct {
	op       op
	path, to string // names in the folder; "" is the folder itself
	offset   int64
	data     []byte
	began    int // sync: number of events before its call
}

// A Log holds the events of the files of one folder, and the output written
// elsewhere. It leaves out folders within it.
type Log struct {
	dir    string
	prefix string // of the recorded files
	base   map[string][]byte
	events []event
}

// Len returns the number of events.
func (l *Log) Len() int { return len(l.events) }

// Before copies the files of dir whose names begin with prefix, which count as
// safe on disk; it leaves out other files.
func Before(dir, prefix string) (*Log, error) {
	l := &Log{dir: dir, prefix: prefix, base: map[string][]byte{}}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return l, nil
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !l.counts(e.Name()) {
			continue
		}
		if l.base[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return l, err
}

// counts reports whether a file is one of the log's. Shared memory is not,
// because SQLite makes it again.
func (l *Log) counts(name string) bool {
	return strings.HasPrefix(name, l.prefix) && !strings.HasSuffix(name, "-shm")
}

const (
	unfinished = "<unfinished ...>"
	maxPath    = 4 * 4096 // bytes of a path as escapes
)

// Read adds the calls of a trace that [Strace] made.
func (l *Log) Read(trace io.Reader) error {
	type started struct {
		text string
		at   int // of its event, or of the event before it
	}
	open := map[string]started{}
	in := bufio.NewReaderSize(trace, 1<<20)
	for {
		text, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		thread, rest, ok := strings.Cut(strings.TrimSuffix(text, "\n"), " ")
		if !ok {
			return fmt.Errorf("trace: %.100q", text)
		}
		rest = strings.TrimLeft(rest, " ")
		if head, cut := strings.CutSuffix(rest, unfinished); cut {
			// The data of a write may be on disk, and output, from the start of
			// the call on.
			open[thread] = started{strings.TrimSpace(head), len(l.events)}
			if e, ok := l.parse(strings.TrimSpace(head) + ") = 0"); ok && e.op != sync {
				l.events = append(l.events, e)
			}
			continue
		}
		began := len(l.events)
		if _, tail, ok := strings.Cut(rest, " resumed>"); ok && strings.HasPrefix(rest, "<... ") {
			s := open[thread]
			delete(open, thread)
			rest, began = s.text+tail, s.at
			if e, ok := l.parse(s.text + ") = 0"); ok && e.op != sync {
				continue // it is there
			}
		}
		if e, ok := l.parse(rest); ok {
			e.began = began
			l.events = append(l.events, e)
		}
	}
	return nil
}

// parse reads one call. ok is false for one that failed or does not matter.
func (l *Log) parse(text string) (e event, ok bool) {
	name, rest, _ := strings.Cut(text, "(")
	end := strings.LastIndex(rest, ") ")
	if end < 0 || !strings.HasPrefix(strings.TrimLeft(rest[end+1:], " "), "= ") || strings.Contains(rest[end:], "= -") {
		return e, false
	}
	args := rest[:end]
	var names []string
	for i, part := range strings.Split(args, `"`) {
		if i%2 == 1 {
			names = append(names, unhex(part))
		}
	}
	within := func(path string) (string, bool) {
		if path == l.dir {
			return "", true
		}
		return filepath.Base(path), filepath.Dir(path) == l.dir && l.counts(filepath.Base(path))
	}
	file, inside := "", false
	if _, d, ok := strings.Cut(args[:min(len(args), maxPath)], "<"); ok {
		d, _, _ = strings.Cut(d, ">")
		file, inside = within(unhex(d))
	}
	last := args[strings.LastIndex(args, ", ")+1:]
	switch name {
	case "write", "pwrite64":
		if len(names) == 0 {
			return e, false
		}
		e = event{op: write, path: file, data: []byte(names[0]), offset: -1}
		if !inside {
			return event{op: say, data: e.data}, name == "write"
		}
		if name == "pwrite64" {
			e.offset, _ = strconv.ParseInt(strings.TrimSpace(last), 10, 64)
		}
		return e, true
	case "fsync", "fdatasync":
		return event{op: sync, path: file}, inside
	case "ftruncate":
		e = event{op: truncate, path: file}
		e.offset, _ = strconv.ParseInt(strings.TrimSpace(last), 10, 64)
		return e, inside
	}
	if len(names) == 0 {
		return e, false
	}
	e.path, inside = within(names[0])
	switch {
	case !inside:
		return e, false
	case name == "open" || name == "openat" || name == "creat":
		e.op, e.offset = create, -1
		if name == "creat" || strings.Contains(args, "O_TRUNC") {
			e.offset = 0
		}
		return e, name == "creat" || strings.Contains(args, "O_CREAT") || e.offset == 0
	case strings.HasPrefix(name, "unlink"):
		e.op = unlink
		return e, true
	case len(names) < 2:
		return e, false
	}
	e.op = rename
	if strings.HasPrefix(name, "link") {
		e.op = link
	}
	e.to, inside = within(names[1])
	return e, inside
}

// unhex reads the escapes of strace -xx.
func unhex(s string) string {
	b := make([]byte, 0, len(s)/4)
	for len(s) >= 4 && s[:2] == `\x` {
		n, err := hex.DecodeString(s[2:4])
		if err != nil {
			break
		}
		b = append(b, n...)
		s = s[4:]
	}
	return string(b) + s
}
