package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// An Outcome is what became of a message that is not confirmed.
type Outcome int

// The outcomes.
const (
	// Later means that the server could not be reached, or not now (4xx of RFC
	// 5321), or that it did not say whether it took the message. Send again.
	Later Outcome = iota
	// Refused means that the server will never take the message (5xx).
	Refused
)

// The steps of sending, as an [Error] names them.
const (
	StepWrite    = "write the message"
	StepConnect  = "connect"
	StepHandOver = "hand over"
)

// An Error says why a message is not confirmed. Its text names neither the
// recipient nor what the server said, which may name them; Code may be shown.
type Error struct {
	Outcome Outcome
	Step    string // StepWrite, StepConnect or StepHandOver
	Code    int    // of the server's answer; 0: none
	Err     error  // the cause, not to be logged or stored
}

// Error implements error.
func (e *Error) Error() string {
	if e.Code == 0 {
		return "e-mail: could not " + e.Step
	}
	return fmt.Sprintf("e-mail: could not %s: the server answered %d", e.Step, e.Code)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Config is what a [Sender] needs.
type Config struct {
	Server  Server
	From    mail.Address  // of all messages; the issuer's name stands before its own
	ReplyTo string        // empty: none
	TLS     *tls.Config   // nil: the system's authorities
	Timeout time.Duration // for one message, all told; zero: a minute
}

// A Sender sends messages. It is safe for concurrent use.
type Sender struct {
	c      Config
	bodies bodies
}

// New returns a Sender. It does not connect.
func New(c Config) (*Sender, error) {
	c.Timeout = cmp.Or(c.Timeout, time.Minute)
	if _, err := mail.ParseAddress(c.From.String()); err != nil || c.From.Address == "" {
		return nil, errors.New("the address that e-mail comes from must be like office@example.org")
	}
	b, err := newBodies()
	if err != nil {
		return nil, fmt.Errorf("templates of e-mail: %w", err)
	}
	return &Sender{c, b}, nil
}

// Send hands d to the server. It returns nil only when the server confirmed
// that it took the message; all other errors are an [*Error].
func (s *Sender) Send(ctx context.Context, d Delivery) error {
	msg, err := s.message(d)
	if err != nil {
		return &Error{Refused, StepWrite, 0, err}
	}
	return s.handOver(ctx, msg)
}

// SendTest sends a line to an address, to see whether messages arrive. Its
// errors are those of Send.
func (s *Sender) SendTest(ctx context.Context, to, id string) error {
	msg, err := s.envelope(mail.Address{Address: to}, s.c.From.Name, id)
	if err != nil {
		return &Error{Refused, StepWrite, 0, err}
	}
	msg.Subject("Test of the gateway's e-mail")
	msg.SetBodyString(gomail.TypeTextPlain, "This gateway can send e-mail: this message was asked for by its operator.\n")
	return s.handOver(ctx, msg)
}

func (s *Sender) handOver(ctx context.Context, msg *gomail.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, s.c.Timeout)
	defer cancel()
	client, conn, err := s.client(ctx)
	if err != nil {
		return &Error{Later, StepConnect, 0, err}
	}
	// The library bounds each wait, not their sum, and knows no context then.
	stop := context.AfterFunc(ctx, conn.cut)
	defer stop()
	if err := client.DialWithContext(ctx); err != nil {
		conn.cut()
		return failed(StepConnect, err)
	}
	err = client.Send(msg)
	if msg.IsDelivered() { // what fails after that is only the farewell
		err = nil
	}
	_ = client.Close()
	conn.cut()
	if err != nil {
		return failed(StepHandOver, err)
	}
	return nil
}

// failed tells what will never be taken from what may be later.
func failed(step string, err error) error {
	out := &Error{Later, step, 0, err}
	if said, ok := errors.AsType[*gomail.SendError](err); ok {
		out.Code = said.ErrorCode()
		// Refusals of the sender, the recipient or the content are for good. All
		// others, such as those of the password, an operator can mend.
		switch said.Reason {
		case gomail.ErrSMTPMailFrom, gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose:
			if out.Code >= 500 {
				out.Outcome = Refused
			}
		}
	}
	return out
}

// client returns a client whose connection can be cut from outside.
func (s *Sender) client(ctx context.Context) (*gomail.Client, *cuttable, error) {
	conn := &cuttable{}
	options := []gomail.Option{
		gomail.WithPort(s.c.Server.Port), gomail.WithTimeout(s.c.Timeout), gomail.WithHELO(domainOf(s.c.From.Address)),
	}
	tlsConfig := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.c.TLS != nil {
		tlsConfig = s.c.TLS.Clone()
	}
	tlsConfig.ServerName = cmp.Or(tlsConfig.ServerName, s.c.Server.Host)
	options = append(options, gomail.WithTLSConfig(tlsConfig))
	dial := (&net.Dialer{}).DialContext
	switch s.c.Server.TLS {
	case StartTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case Opportunistic:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	case NoTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case ImplicitTLS:
		options = append(options, gomail.WithSSL())
		dial = (&tls.Dialer{Config: tlsConfig}).DialContext
	}
	options = append(options, gomail.WithDialContextFunc(conn.dialer(dial)))
	if s.c.Server.User != "" {
		method := gomail.SMTPAuthAutoDiscover // the best that the server has
		if s.c.Server.TLS == Opportunistic || s.c.Server.TLS == NoTLS {
			method = gomail.SMTPAuthPlain // on this machine alone; the library sends it nowhere else in the clear
		}
		options = append(options, gomail.WithSMTPAuth(method),
			gomail.WithUsername(s.c.Server.User), gomail.WithPassword(s.c.Server.Password))
	}
	client, err := gomail.NewClient(s.c.Server.Host, options...)
	return client, conn, err
}

// envelope begins a message: whom it is from and to, and its name for all time.
func (s *Sender) envelope(to mail.Address, from, id string) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(&mail.Address{Name: oneLine(from), Address: s.c.From.Address})
	if err := m.EnvelopeFrom(s.c.From.Address); err != nil {
		return nil, err
	}
	if s.c.ReplyTo != "" {
		if err := m.ReplyTo(s.c.ReplyTo); err != nil {
			return nil, err
		}
	}
	if _, err := mail.ParseAddress(to.Address); err != nil {
		return nil, err
	}
	m.AddToMailAddress(&mail.Address{Name: oneLine(to.Name), Address: to.Address})
	m.SetMessageIDWithValue(id + "@" + domainOf(s.c.From.Address))
	m.SetDate()
	m.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no out-of-office answers
	return m, nil
}

// message builds the MIME message (RFC 5322, RFC 2045) of d.
func (s *Sender) message(d Delivery) (*gomail.Msg, error) {
	b, err := s.bodies.render(d)
	if err != nil {
		return nil, err
	}
	m, err := s.envelope(d.Recipient, d.Issuer, d.ID)
	if err != nil {
		return nil, err
	}
	m.Subject(b.subject)
	m.SetBodyString(gomail.TypeTextPlain, b.text)
	m.AddAlternativeString(gomail.TypeTextHTML, b.html)
	if f := d.Attachment; f != nil {
		err := m.AttachReader(f.Name, bytes.NewReader(f.Data), gomail.WithFileContentType(gomail.ContentType(f.ContentType)))
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}
