//go:build !linux && !darwin && !windows

package device

import "tcode/offline"

// readBoot has nothing but the program's own clock.
func readBoot() offline.Boot { return ownBoot() }
