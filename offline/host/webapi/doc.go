// Package webapi calls the browser's own functions from Go: it turns promises and exceptions into results and errors, and bytes
// into arrays and back. Call [Await] for a function that returns a promise, [Try] for one that may throw, [On] for events,
// [OpenStore] and [Finished] for databases. It builds for js alone.
//
// A browser calls back in the goroutine of its events, which must not block: callbacks here only send to channels that have room.
package webapi
