package wire_test

import (
	"errors"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"tcode/sync/wire"
)

// parsed is BaseURL by net/url.
func parsed(address string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", false
	}
	p := strings.TrimRight(u.Path, "/")
	if base, ok := strings.CutSuffix(p, "/v1"); ok {
		p = base
	}
	u.Path, u.RawPath = strings.TrimRight(p, "/"), ""
	return u.String(), true
}

// likeURL fails unless BaseURL refuses the address or gives the same text as net/url.
func likeURL(t *testing.T, address string) (taken bool) {
	t.Helper()
	got, err := wire.BaseURL(address)
	if err != nil {
		if !errors.Is(err, wire.ErrAddress) {
			t.Errorf("%q: %v", address, err)
		}
		return false
	}
	if want, ok := parsed(address); !ok || got != want {
		t.Errorf("%q: %q, want %q, %v", address, got, want, ok)
	}
	return true
}

var addresses = []string{
	"https://gateway.example", " HTTP://Gateway.example:8080/ ", "https://g.example/v1", "https://g.example/a/v1//", "https://g.example//v1/v1",
	"http://127.0.0.1:80/x%20y/%2f/ü/*!", "http://[::1]:8443/v1", "http://[2001:db8::7:A]", "http://[1:2:3:4:5:6:7:8]/", "http://[fe80::1%25eth0]:1",
	"https://bücher.example/v1", "https://under_score.example", "http://localhost/a b", "http://g.example/@:;,=+$&~",
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, a := range addresses {
		if !likeURL(t, a) {
			t.Errorf("%q is refused", a)
		}
	}
	for _, a := range []string{
		"", "g.example", "ftp://g.example", "https://", "https:///v1", "https://:80", "https://g.example:", "https://g.example:8x", "https://u@g.example", "https://u:p@g.example",
		"https://g.example?", "https://g.example/?q", "https://g.example#", "https://g.example/%", "https://g.example/%4", "https://g.example/%zz", "https://g.example/a\nb", "https://g example",
		"https://[::1", "https://::1", "https://[1:2]", "https://[1::2::3]", "https://[1:2:3:4:5:6:7:8::]", "https://[12345::]", "https://[1:2:3:4:5:6:7:8:9]", "https://[:1:2:3:4:5:6:7]", "https://[fe80::1%25]", "https://g%41.example", "https://[::1]x",
	} {
		if likeURL(t, a) {
			t.Errorf("%q is taken", a)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	parts := []string{":", "/", "//", "%", "%25", "%41", "[", "]", "::", "@", "?", "#", " ", "v1", "ü", "\xff", "\x7f", "\x00", "\\", "<", "\"", "1", "a", ".", "*", "é%", "&"}
	for range 50_000 {
		a := addresses[random.IntN(len(addresses))]
		for range 1 + random.IntN(3) {
			at := random.IntN(len(a) + 1)
			a = a[:at] + parts[random.IntN(len(parts))] + a[min(len(a), at+random.IntN(3)):]
		}
		likeURL(t, a)
	}
}

func FuzzAddress(f *testing.F) {
	for _, a := range addresses {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, address string) { likeURL(t, address) })
}
