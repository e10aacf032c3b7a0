// Package purego stands in for github.com/ebitengine/purego, which loads shared libraries of the system into a Go
// program.
//
// The modules that embed libheif and libavif import purego and look for libheif.so and libavif.so when a program starts,
// unless it is built with the tag nodynamic. A library of the system would run in every process, outside of the limits
// of WebAssembly and in a version that this project does not choose. With this package, which a replace directive in
// go.mod puts in purego's place, no build can load one: [Dlopen] always fails, and the modules keep to their
// WebAssembly.
package purego

import "errors"

// Modes of [Dlopen], without a meaning here.
const (
	RTLD_NOW    = 0x2
	RTLD_GLOBAL = 0x100
)

var errNever = errors.New("this program loads no shared library")

// Dlopen loads nothing and returns an error.
func Dlopen(string, int) (uintptr, error) { return 0, errNever }

// Dlsym finds nothing and returns an error.
func Dlsym(uintptr, string) (uintptr, error) { return 0, errNever }

// Dlclose does nothing.
func Dlclose(uintptr) error { return nil }

// RegisterLibFunc panics: there is no library that could have a function.
func RegisterLibFunc(any, uintptr, string) { panic(errNever) }

// RegisterFunc panics.
func RegisterFunc(any, uintptr) { panic(errNever) }

// NewCallback panics.
func NewCallback(any) uintptr { panic(errNever) }

// SyscallN panics.
func SyscallN(uintptr, ...uintptr) (r1, r2, err uintptr) { panic(errNever) }
