package storetest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Main is m.Run for the tests of a package that keep their rows in [New]: they run on the
// engine that the environment selects, and without one on SQLite and then, in a second process
// with -short, on PostgreSQL. It returns the exit code.
func Main(m *testing.M) int {
	flag.Parse()
	if os.Getenv(EngineVariable) != "" || !testsAlone() {
		return m.Run()
	}
	os.Setenv(EngineVariable, string(SQLite))
	code := m.Run()
	args := slices.DeleteFunc(os.Args[1:], func(a string) bool {
		return strings.HasPrefix(a, "-test.testlogfile") // of the go command, from this process
	})
	second := exec.Command(os.Args[0], append(args, "-test.short")...)
	second.Env = append(os.Environ(), EngineVariable+"="+string(Postgres))
	second.Stdout, second.Stderr = os.Stdout, os.Stderr
	err := second.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return code
	case errors.As(err, &ended) && ended.ExitCode() > 0:
		return ended.ExitCode()
	}
	fmt.Fprintln(os.Stderr, "tests on PostgreSQL:", err)
	return 1
}

// testsAlone reports whether this run is for tests, and not for measurements, fuzzing, lists
// or profiles, which are of one engine.
func testsAlone() bool {
	for _, name := range []string{"bench", "fuzz", "list", "cpuprofile", "memprofile", "coverprofile"} {
		if f := flag.Lookup("test." + name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return true
}
