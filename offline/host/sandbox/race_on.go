//go:build race

package sandbox

// memoryScale is the factor of a child's memory with the race detector, which keeps several bytes for each byte of the
// program.
const memoryScale = 4
