//go:build linux || windows

package sandbox

// lateBytes is the part of a child's address space at its start that may become resident later: code that has not run
// yet, and memory that Go and C's malloc have reserved for their next allocations.
const lateBytes = 64 << 20

// addressSpace returns the limit of the address space of a child that has size bytes of it, of which resident are in
// memory, and that may have limit bytes in memory. The parent checks the resident memory only from time to time; memory
// that is not in the address space cannot become resident between two checks. Go and glibc reserve far more than they
// use, so the limit counts only memory in addition to size.
func addressSpace(size, resident, limit uint64) uint64 {
	return size + limit - min(limit/2, resident+lateBytes)
}
