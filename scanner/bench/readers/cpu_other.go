//go:build !unix

package readers

import "time"

// processCPU is not known here; wall time stands in.
func processCPU() time.Duration { return 0 }
