//go:build !linux && !darwin && !windows

package device

import "tcode/offline"

// readBoot returns the program's own clock.
func readBoot() offline.Boot { return ownBoot() }
