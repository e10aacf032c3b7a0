//go:build !race

package sandbox

// memoryScale is 1 without the race detector.
const memoryScale = 1
