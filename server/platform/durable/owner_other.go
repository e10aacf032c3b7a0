//go:build !unix

package durable

import "os"

// keepOwner does nothing: files have the permissions of their folder on this system.
func keepOwner(*os.File, string) error { return nil }

// OthersWrite always returns false: a folder's mode has no meaning on this system.
func OthersWrite(string) (bool, error) { return false, nil }
