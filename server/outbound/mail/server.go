package mail

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
)

// TLS is the way in which a connection is private.
type TLS int

// The ways of TLS (RFC 8314). The default is StartTLS, or Opportunistic on the
// loopback.
const (
	StartTLS      TLS = iota // requested after the greeting, and required
	ImplicitTLS              // from the first byte
	Opportunistic            // used if the server offers it
	NoTLS
)

// A Server is the server that takes messages.
type Server struct {
	Host     string
	Port     int
	TLS      TLS
	User     string // empty: no authentication
	Password string
}

// ErrURL means that an address names no server. Its text never includes the address, which
// may have a password.
var ErrURL = errors.New("must be like smtp://USER:PASSWORD@HOST:587 or smtps://HOST, with ?tls=required, opportunistic or none")

// ParseURL reads the address of a server: smtp for STARTTLS on port 587, smtps for TLS
// from the start on port 465. A server on another machine without TLS needs an explicit
// ?tls=none or opportunistic, and then no password may be given, because it would cross
// the network in the clear.
func ParseURL(address string) (Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return Server{}, ErrURL
	}
	s := Server{Host: u.Hostname(), User: u.User.Username()}
	s.Password, _ = u.User.Password()
	local := isLoopback(s.Host)
	switch u.Scheme {
	case "smtp":
		s.Port = 587
		if local {
			s.TLS = Opportunistic
		}
	case "smtps":
		s.Port, s.TLS = 465, ImplicitTLS
	default:
		return Server{}, ErrURL
	}
	if p := u.Port(); p != "" {
		if s.Port, err = strconv.Atoi(p); err != nil || s.Port < 1 || s.Port > 65535 {
			return Server{}, ErrURL
		}
	}
	if err := s.setTLS(u.Query()); err != nil {
		return Server{}, err
	}
	if s.User != "" && !local && (s.TLS == NoTLS || s.TLS == Opportunistic) {
		return Server{}, errors.New("a user name needs TLS: leave out ?tls=")
	}
	return s, nil
}

func (s *Server) setTLS(q url.Values) error {
	for name := range q {
		if name != "tls" || len(q[name]) != 1 || s.TLS == ImplicitTLS {
			return ErrURL
		}
	}
	switch q.Get("tls") {
	case "":
	case "required":
		s.TLS = StartTLS
	case "opportunistic":
		s.TLS = Opportunistic
	case "none":
		s.TLS = NoTLS
	default:
		return ErrURL
	}
	return nil
}

// String returns the server without its password, for logs.
func (s Server) String() string {
	scheme := "smtp"
	if s.TLS == ImplicitTLS {
		scheme = "smtps"
	}
	return fmt.Sprintf("%s://%s", scheme, net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
