package mail

import (
	"errors"
	"net/mail"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

var errAddress = errors.New("no e-mail address")

// overTheWire returns an address as mail servers see it: a domain with other letters than
// ASCII's has an equivalent in ASCII (RFC 5891), which needs no support by the servers.
// There is no equivalent for the part before the @.
func overTheWire(address string) (string, error) {
	if _, err := mail.ParseAddress(address); err != nil {
		return "", errAddress
	}
	domain := domainOf(address)
	if ascii(domain) {
		return address, nil
	}
	wire, err := idna.Lookup.ToASCII(domain)
	if err != nil {
		return "", errAddress
	}
	return strings.TrimSuffix(address, domain) + wire, nil
}

// domainOf returns the part of an address after the @.
func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
