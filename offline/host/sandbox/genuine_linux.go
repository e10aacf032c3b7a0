//go:build !emulated

package sandbox

// mayLackFilter is false: without the system call filter a child does not start.
const mayLackFilter = false
