//go:build !unix

package readers

import "time"

// processCPU returns 0: this system has no such clock, and callers use the wall time.
func processCPU() time.Duration { return 0 }
