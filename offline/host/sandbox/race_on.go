//go:build race

package sandbox

// memoryScale is how much more memory a child has with the race detector, which keeps several bytes for each of the
// program's.
const memoryScale = 4
