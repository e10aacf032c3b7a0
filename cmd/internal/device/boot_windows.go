package device

import (
	"golang.org/x/sys/windows"

	"tcode/offline"
)

// readBoot reads GetTickCount64, which counts while the machine sleeps or
// hibernates; QueryUnbiasedInterruptTime does not. Windows has no documented
// name for a start of the machine, so no proof outlives the program.
func readBoot() offline.Boot { return offline.Boot{ID: thisRun(), At: windows.DurationSinceBoot()} }
