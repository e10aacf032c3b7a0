// Package opfs opens files in the origin private file system of a browser. It builds for js alone. Call [Open] in a worker: a
// page has no files that answer immediately.
//
//	Open(name) ──▶ navigator.storage.getDirectory ──▶ file, made if there is none ──▶ createSyncAccessHandle: the only one
//	                                                                                     │
//	logjournal.Open(a, b) ◀── File: read, write, truncate, getSize, flush, close ◀───────┘
//
// The browser counts the files in the quota of the site, and removes them with its data. A file has one handle at a time; the end
// of the worker closes it. A browser without such files gives [ErrUnsupported].
package opfs
