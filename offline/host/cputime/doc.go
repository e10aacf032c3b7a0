// Package cputime reads clocks that run only while a program works, for limits that mean work. A wall clock also runs
// while other programs use the processors: on a busy machine a limit by it ends work that a quiet machine completes.
//
//	runtime.LockOSThread()
//	start := cputime.Thread()
//	work()
//	used := cputime.Thread() - start
//
//	           Linux   macOS, FreeBSD   Windows   others
//	[Thread]   yes     yes              yes       wall time
//	[Process]  yes     no               yes       no
package cputime

import "time"

// begin is the zero of the clock of systems without a better one.
var begin = time.Now()

// wall returns the wall time since this process began.
func wall() time.Duration { return time.Since(begin) }
