//go:build linux && (amd64 || arm64)

package sandbox

// AuditArch is the architecture the filter is for.
const AuditArch = auditArch

// Filter is the system call filter of a child.
var Filter = filter
