//go:build !linux && !darwin && !windows

package sandbox

// attempts is empty: nothing is in force on these systems.
var attempts map[string]func(dir string) error
