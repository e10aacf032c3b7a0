package pgdb

import (
	"net"
	"syscall"
	"testing"
)

// userTimeout returns the limit of a connection in ms.
func userTimeout(t *testing.T, c net.Conn) (ms int, ok bool) {
	t.Helper()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { ms, failed = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout) }); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return ms, true
}
