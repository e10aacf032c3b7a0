package gate_test

import (
	"testing"

	"tcode/server/httpapi/gate"
)

func TestNetworkOf(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.77": "192.0.2.0/24", "::ffff:192.0.2.77": "192.0.2.0/24", "2001:db8:1:2:3:4:5:6": "2001:db8:1::/48", "fe80::1%eth0": "fe80::/48",
		"127.0.0.1": "127.0.0.1", "::1": "::1", "": "", "gate": "gate",
	} {
		if got := gate.NetworkOf(remote); got != want {
			t.Errorf("the network of %q is %q, want %q", remote, got, want)
		}
	}
}
