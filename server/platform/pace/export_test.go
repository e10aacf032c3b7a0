package pace

import "time"

// OnPause makes w call f with each rest instead of sleeping.
func OnPause(w *Work, f func(time.Duration)) { w.pause = f }

// Real is the real function for a rest.
var Real = pause
