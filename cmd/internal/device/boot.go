package device

import (
	"crypto/rand"
	"sync"
	"time"

	"tcode/offline"
)

// started is the program's start. It serves machines without a boot-time clock.
var started = time.Now()

// thisRun names this run of the program, for systems that have no name for a
// start of the machine. No proof of time outlives the program then.
var thisRun = sync.OnceValue(func() string { return "run " + rand.Text() })

// ownBoot is a clock of this program alone, for machines without a clock that
// counts while they sleep.
func ownBoot() offline.Boot { return offline.Boot{ID: thisRun(), At: time.Since(started)} }

// MachineBoot reads the boot-time clock of this machine.
func MachineBoot() offline.Boot { return readBoot() }
