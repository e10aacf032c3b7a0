//go:build !unix

package durable

import "os"

// keepOwner does nothing: files take the permissions of their folder here.
func keepOwner(*os.File, string) error { return nil }
