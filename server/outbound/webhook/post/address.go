package post

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
)

// ErrPrivate is returned for an address that is not on the public internet.
var ErrPrivate = errors.New("the address is not a public one")

// global is all of IPv6 that is assigned (IANA's address space registry). The
// rest, such as 64:ff9b::/96, mostly stands for IPv4 addresses, including private
// ones.
var global = netip.MustParsePrefix("2000::/3")

// reserved are networks that no receiver on the public internet has (RFC 6890 and IANA's
// special-purpose registries), in addition to those that netip knows.
var reserved = func() []netip.Prefix {
	var out []netip.Prefix
	for _, s := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", // with Teredo and 6to4, which hold IPv4 addresses
	} {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}()

// public reports whether a is an address on the public internet.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsValid() || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	if a.Is6() && !global.Contains(a) {
		return false
	}
	for _, p := range reserved {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// onlyPublic is a [net.Dialer] Control: it checks each address before the
// connection.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPrivate, err)
	}
	if !public(a.Addr()) {
		return ErrPrivate
	}
	return nil
}
