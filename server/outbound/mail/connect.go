package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"tcode/offline/contain"
)

// connect greets the server, makes the connection private, and logs in. Its errors are
// [*Error] values.
func (s *Sender) connect(ctx context.Context, conn *cuttable) (*smtp.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, s.c.Timeout)
	defer cancel()
	defer contain.AfterFunc(ctx, "mail-cut", conn.cut)()
	dial := (&net.Dialer{}).DialContext
	if s.c.Server.TLS == ImplicitTLS {
		dial = (&tls.Dialer{Config: s.c.TLS}).DialContext
	}
	client, err := gomail.NewClient(s.c.Server.Host,
		gomail.WithPort(s.c.Server.Port), gomail.WithTimeout(s.c.Timeout+s.c.HandOver), gomail.WithHELO(domainOf(s.c.From.Address)),
		gomail.WithTLSPolicy(gomail.NoTLS), gomail.WithDialContextFunc(conn.dialer(dial)))
	if err != nil {
		return nil, failed(StepConnect, err)
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return nil, failed(StepConnect, err)
	}
	if err := s.secure(session); err != nil {
		return nil, failed(StepSecure, err)
	}
	if s.c.Server.User != "" {
		if err := session.Auth(&login{Server: s.c.Server}); err != nil {
			return nil, failed(StepLogin, err)
		}
	}
	return session, nil
}

var (
	errNoTLS       = errors.New("the server offers no STARTTLS")
	errNoMechanism = errors.New("the server offers no known way to log in")
)

// secure starts TLS on a connection that does not have it yet.
func (s *Sender) secure(session *smtp.Client) error {
	if s.c.Server.TLS == ImplicitTLS || s.c.Server.TLS == NoTLS {
		return nil
	}
	if offered, _ := session.Extension("STARTTLS"); !offered {
		if s.c.Server.TLS == Opportunistic {
			return nil
		}
		return errNoTLS
	}
	return session.StartTLS(s.c.TLS)
}

// A login is the best way to log in that the server offers (RFC 4954). The
// library uses ways that show the password only under TLS, or on this
// machine.
type login struct {
	Server
	smtp.Auth // the chosen way
}

// Start implements smtp.Auth.
func (l *login) Start(server *smtp.ServerInfo) (string, []byte, error) {
	for _, way := range []struct {
		name string
		smtp.Auth
	}{
		{"SCRAM-SHA-256", smtp.ScramSHA256Auth(l.User, l.Password)},
		{"PLAIN", smtp.PlainAuth("", l.User, l.Password, l.Host, false)},
		{"LOGIN", smtp.LoginAuth(l.User, l.Password, l.Host, false)},
		{"CRAM-MD5", smtp.CRAMMD5Auth(l.User, l.Password)},
	} {
		if slices.Contains(server.Auth, way.name) {
			l.Auth = way.Auth
			return l.Auth.Start(server)
		}
	}
	return "", nil, errNoMechanism
}

// cuttable holds the current connection, so that it can be closed at a timeout, whatever
// the library waits for.
type cuttable struct {
	mu   sync.Mutex
	conn net.Conn
	over bool
}

// dialer returns dial, with the connection kept.
func (c *cuttable) dialer(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.over {
			conn.Close()
			return nil, net.ErrClosed
		}
		c.conn = conn
		return conn, nil
	}
}

// cut closes the connection, now or as soon as there is one.
func (c *cuttable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.conn != nil {
		c.conn.Close()
	}
}

// expire ends the present wait after d.
func (c *cuttable) expire(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.conn.SetDeadline(time.Now().Add(d)) // it is closed soon anyway
}
