//go:build !linux && !darwin && !windows

package field

import "tcode/offline"

// readBoot has nothing but the program's own clock.
func readBoot() offline.Boot { return ownBoot() }
