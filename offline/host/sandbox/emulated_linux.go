//go:build emulated

package sandbox

// mayLackFilter lets a child run without the system call filter where the system has none, as under QEMU's user mode. Only
// tests are built with it.
const mayLackFilter = true
