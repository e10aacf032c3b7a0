package blobtest

import "syscall"

// setAttribute returns an error if a file cannot have an attribute of users.
func setAttribute(path string) error { return syscall.Setxattr(path, "user.tcode", []byte("1"), 0) }
