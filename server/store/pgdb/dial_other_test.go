//go:build !linux

package pgdb

import (
	"net"
	"testing"
)

func userTimeout(*testing.T, net.Conn) (ms int, ok bool) { return 0, false }
