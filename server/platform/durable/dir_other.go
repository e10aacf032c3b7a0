//go:build !unix

package durable

// SyncDir does nothing: folders cannot be opened for it on this system, and the file
// system's journal keeps their names.
func SyncDir(string) error { return nil }
