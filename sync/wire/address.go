package wire

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// ErrAddress means that a gateway address is not an http or https URL.
var ErrAddress = errors.New("not a gateway address")

// BaseURL normalises a gateway's address: https://host:port/path without a
// trailing slash and without a trailing /v1, which some deployments publish. It
// refuses user names, queries and fragments.
func BaseURL(address string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrAddress, err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%w: %q: want http(s)://host[:port][/path]", ErrAddress, address)
	}
	p := strings.TrimRight(u.Path, "/")
	if base, ok := strings.CutSuffix(p, "/v1"); ok {
		p = base
	}
	u.Path, u.RawPath = strings.TrimRight(p, "/"), ""
	return u.String(), nil
}
