//go:build darwin || windows

package sandbox

// programBytes is about the part of a child's resident memory that is pages of the program's file.
const programBytes = 64 << 20

// guessMemory returns the memory use of a process where the system tells only the sum.
func guessMemory(resident uint64) memory {
	files := min(resident, programBytes)
	return memory{own: resident - files, files: files}
}
