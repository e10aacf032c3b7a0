// Package browsertest runs the tests of a package in Chromium: it builds them for the browser, serves them from this machine, and
// runs them in a worker, where the product runs too. Call [Build] in a test that is built for this machine, then [Program.Test],
// or [Program.Run] again and again:
//
//	package ──go test -c──▶ program ──server at 127.0.0.1──▶ worker in Chromium, with a profile that outlives it
//	   ▲                                                          │
//	   └──Result: output, exit code, killed──◀── one line, which blocks the program until OnLine returns
//
// OnLine may order that Chromium is killed, with all its processes: it dies while the program waits behind that line. The next
// Run finds the same profile and the same origin, as after a power cut of the browser.
//
// [Node] runs tests in Node, which need no browser beyond its WebAssembly.
package browsertest
