package mail_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"tcode/server/outbound/mail"
)

// An inbox is an SMTP server that keeps the messages that it takes.
type inbox struct {
	// onRcpt and onData are its replies; nil takes the message.
	onRcpt, onData error
	// With hangUp, it takes a message and closes the connection without a reply.
	hangUp bool
	// If hold is set, it takes the message only when hold is closed.
	hold chan struct{}
	user string // needed, with password "secret"
	// With ascii, it refuses addresses beyond ASCII; it refuses messages of more than limit bytes; 0: any.
	ascii bool
	limit int64

	mu       sync.Mutex
	messages []received
}

type received struct {
	from, to string
	data     []byte
	tls      bool
	utf8     bool // was marked as international
}

func (b *inbox) taken() []received {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.messages
}

// NewSession implements smtp.Backend.
func (b *inbox) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &session{inbox: b, conn: c}, nil
}

type session struct {
	*inbox
	conn     *smtp.Conn
	from, to string
	known    bool
	utf8     bool
}

var errWho = &smtp.SMTPError{Code: 530, Message: "authentication required"}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.user || password != "secret" {
			return &smtp.SMTPError{Code: 535, Message: "wrong password"}
		}
		s.known = true
		return nil
	}), nil
}

func (s *session) Mail(from string, o *smtp.MailOptions) error {
	if s.user != "" && !s.known {
		return errWho
	}
	s.from, s.utf8 = from, o.UTF8
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return s.onRcpt
}

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if s.hold != nil {
		<-s.hold
	}
	if s.onData != nil {
		return s.onData
	}
	_, private := s.conn.TLSConnectionState()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, received{s.from, s.to, data, private, s.utf8})
	return nil
}

func (s *session) Reset() {
	if s.hangUp && len(s.taken()) > 0 {
		s.conn.Conn().Close()
	}
}

func (s *session) Logout() error { return nil }

// private returns a certificate for 127.0.0.1 and the pool that trusts it.
func private(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}, pool
}

// listen serves b until the test ends, with STARTTLS if startTLS is given, or with TLS
// from the first byte if implicit is.
func listen(t *testing.T, b *inbox, startTLS, implicit *tls.Config) mail.Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	n, _ := strconv.Atoi(port)
	s := smtp.NewServer(b)
	s.Domain, s.TLSConfig, s.AllowInsecureAuth, s.EnableSMTPUTF8 = "mx.example.org", startTLS, true, !b.ascii
	s.MaxMessageBytes = b.limit
	s.ErrorLog = log.New(io.Discard, "", 0)
	if implicit != nil {
		l = tls.NewListener(l, implicit)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		l.Close() // if it did not serve yet, it does not know the listener
		if err := <-done; err != nil && !errors.Is(err, smtp.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return mail.Server{Host: "127.0.0.1", Port: n, TLS: mail.Opportunistic}
}
