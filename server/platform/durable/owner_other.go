//go:build !unix

package durable

import "os"

// keepOwner does nothing: files take the permissions of their folder here.
func keepOwner(*os.File, string) error { return nil }

// OthersWrite is always false: a folder's mode does not tell here.
func OthersWrite(string) (bool, error) { return false, nil }
