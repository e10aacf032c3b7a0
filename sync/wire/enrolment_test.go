package wire_test

import (
	"errors"
	"strings"
	"testing"

	"tcode/offline/trust"
	"tcode/sync/wire"
)

func TestEnrolmentCode(t *testing.T) {
	t.Parallel()
	root := trust.Fingerprint{0xab, 0xcd, 31: 0x01}
	for address, want := range map[string]string{
		"https://gateway.example":          "https://gateway.example",
		"https://gateway.example/v1/":      "https://gateway.example",
		"http://127.0.0.1:8080/":           "http://127.0.0.1:8080",
		"https://host.example:8443/tc/v1":  "https://host.example:8443/tc",
		"https://xn--bcher-kva.example/a/": "https://xn--bcher-kva.example/a",
	} {
		code, err := wire.EnrolmentCode(address, root)
		if err != nil || code != want+"/#tcode-enrol="+root.String() {
			t.Errorf("%s: %q, %v", address, code, err)
		}
		gateway, got, err := wire.ParseEnrolmentCode(" " + code + "\n")
		if err != nil || gateway != want || got != root {
			t.Errorf("%s: read back as %q, %v, %v", code, gateway, got, err)
		}
		link, err := wire.EnrolmentLink(address, root)
		if err != nil || link != want+"/scan/#tcode-enrol="+root.String() {
			t.Errorf("%s: link %q, %v", address, link, err)
		}
		if gateway, got, err := wire.ParseEnrolmentCode(link); err != nil || gateway != want || got != root {
			t.Errorf("%s: read back as %q, %v, %v", link, gateway, got, err)
		}
		if _, err := wire.BaseURL(code); err == nil {
			t.Errorf("%s passes for an address", code)
		}
	}
	for _, address := range []string{"gateway.example", "https://gateway.example/scan", "https://gateway.example/scan/v1"} {
		if code, err := wire.EnrolmentCode(address, root); !errors.Is(err, wire.ErrAddress) {
			t.Errorf("%s: %q, %v", address, code, err)
		}
		if link, err := wire.EnrolmentLink(address, root); !errors.Is(err, wire.ErrAddress) {
			t.Errorf("%s: %q, %v", address, link, err)
		}
	}
}

func TestBadEnrolmentCodes(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("ab", 32)
	for _, code := range []string{
		"", "https://gateway.example", good, "/#tcode-enrol=" + good, "ftp://gateway.example/#tcode-enrol=" + good,
		"https://gateway.example/#tcode-enrol=", "https://gateway.example/#tcode-enrol=" + good[1:], "https://gateway.example/#tcode-enrol=" + good + "00",
		"https://user@gateway.example/#tcode-enrol=" + good, "https://gateway.example/?q=1/#tcode-enrol=" + good,
		"https://gateway.example/#tcode-enrol=" + good + "/#tcode-enrol=" + good, "https://gateway.example/#x/#tcode-enrol=" + good,
	} {
		if gateway, _, err := wire.ParseEnrolmentCode(code); !errors.Is(err, wire.ErrEnrolmentCode) {
			t.Errorf("%q: %q, %v", code, gateway, err)
		}
	}
}
