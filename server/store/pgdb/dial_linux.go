package pgdb

import (
	"strings"
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT of tcp(7), which package syscall lacks on some
// architectures.
const tcpUserTimeout = 18

// sendWithin returns the function for [net.Dialer.Control] after which a TCP connection ends
// when the other side does not confirm data for d. Keep-alive does not cover data that is
// under way: without this limit the system tries for a quarter of an hour.
func sendWithin(d time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		var failed error
		err := c.Control(func(fd uintptr) {
			failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(d.Milliseconds()))
		})
		if err != nil {
			return err
		}
		return failed
	}
}
