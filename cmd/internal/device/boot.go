package device

import (
	"crypto/rand"
	"sync"
	"time"

	"tcode/offline"
)

// started is the program's start, for where the machine has no boot-time clock.
var started = time.Now()

// thisRun names this run of the program, for where a start of the machine has no
// name: no proof of time outlives the program then.
var thisRun = sync.OnceValue(func() string { return "run " + rand.Text() })

// ownBoot is a clock of this program alone, where the machine has none that
// counts while it sleeps.
func ownBoot() offline.Boot { return offline.Boot{ID: thisRun(), At: time.Since(started)} }

// MachineBoot reads the boot-time clock of this machine.
func MachineBoot() offline.Boot { return readBoot() }
