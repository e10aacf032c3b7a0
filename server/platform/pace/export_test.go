package pace

import "time"

// OnPause has w tell f of each rest in the place of sleeping.
func OnPause(w *Work, f func(time.Duration)) { w.pause = f }

// Real is how work rests.
var Real = pause
