package sandbox

import (
	"context"
	"errors"
	"io"
	"os"

	"tcode/offline/host/cputime"
)

// A Measure is one thing that a child must not be able to do. The file of a stranger can do it only if it takes over the
// code that decodes it.
type Measure struct {
	Name     string `json:"name"`     // such as "network"
	Prevents string `json:"prevents"` // what a child cannot do, as in "a child cannot ..."
	InForce  bool   `json:"inForce"`  // whether that holds on this system
	// Found is the answer of the system to the attempt, "" if the attempt succeeded or was not needed.
	Found string `json:"found,omitempty"`
}

// measures are the names and words of all measures, in order. What the child tries for each is in its attempts.
var measures = []Measure{
	{Name: "memory", Prevents: "exceed its memory"},
	{Name: "time", Prevents: "exceed its processor time"},
	{Name: "code", Prevents: "make machine code"},
	{Name: "programs", Prevents: "start programs"},
	{Name: "processes", Prevents: "stop or change other processes"},
	{Name: "write", Prevents: "write files"},
	{Name: "read", Prevents: "read files"},
	{Name: "network", Prevents: "use the network"},
	{Name: "terminal", Prevents: "use the terminal"},
	{Name: "outlive", Prevents: "outlive the program"},
}

// probeRole is the role of the child that tries. Every program with [Main] has it.
const probeRole = "containment"

const (
	kindTry   byte = 1 // parent: a folder in which everybody may write
	kindTried byte = 2 // child, for each measure: why it failed; empty: it succeeded
)

// Containment says which measures are in force for the children of this program on this system. It starts a child with the
// restrictions of all others, which then tries each thing that it must not be able to do.
func Containment(ctx context.Context) ([]Measure, error) {
	p := NewPool(Config{Role: probeRole, Size: 1})
	defer p.Close()
	found := make([]Measure, len(measures))
	copy(found, measures)
	err := p.Do(ctx, func(c *Conn) error {
		if err := c.Send(kindTry, []byte(os.TempDir())); err != nil {
			return err
		}
		for i := range found {
			_, why, err := c.Receive()
			if err != nil {
				return err
			}
			found[i].Found = Printable(string(why), maxMessage)
			found[i].InForce = len(why) > 0 || watched(found[i].Name)
		}
		return nil
	})
	return found, err
}

// watched reports whether the parent itself enforces a measure: it watches the memory and counts the time of its children
// where the system tells them.
func watched(name string) bool {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return false
	}
	switch name {
	case "memory":
		return memoryOf(self).resident() > 0
	case "time":
		_, told := cputime.Process(self)
		return told && !kernelCountsCPU
	}
	return false
}

// prepareProbe notes what only an unrestricted process may ask.
func prepareProbe(string) error {
	noteParent()
	return nil
}

// probe is the Role.Serve of the child that tries.
func probe(c *Conn) error {
	_, dir, err := c.Receive()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, m := range measures {
		why := ""
		if try := attempts[m.Name]; try != nil {
			if err := try(string(dir)); err != nil {
				why = err.Error()
			}
		}
		if err := c.Send(kindTried, []byte(why)); err != nil {
			return err
		}
	}
	return nil
}

// Attempts that are the same on all systems. Each returns the error of the system, nil if the child could do it.

func tryRead(string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := os.Open(exe)
	if err == nil {
		f.Close()
	}
	return err
}

func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, "tcode-containment-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// tryStart starts this program as a child of no role, which ends immediately.
func tryStart(string) error {
	exe, err := executable()
	if err != nil {
		return err
	}
	p, err := os.StartProcess(exe, []string{argv0, "no-such-role", "0", "0", ""}, &os.ProcAttr{Files: make([]*os.File, 3)})
	if err != nil {
		return err
	}
	_, _ = p.Wait() // it could be started: that is the answer
	return nil
}
