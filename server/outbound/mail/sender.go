package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/mail"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"tcode/offline/contain"
)

// Config is the configuration of a [Sender].
type Config struct {
	Server  Server
	From    mail.Address // of all messages; the issuer's name comes before its own
	ReplyTo string       // empty: none
	TLS     *tls.Config  // nil: the system's authorities

	// Timeout is the time in which the server must be ready for messages: greeting, TLS,
	// log-in. Zero: a minute.
	Timeout time.Duration
	// HandOver is the time for one message after that, mostly for the server's
	// confirmation: a shorter time causes duplicates. Zero: 10 minutes (RFC 5321 section
	// 4.5.3.2.6).
	HandOver time.Duration
}

// A Sender sends messages. It is safe for concurrent use.
type Sender struct {
	c      Config
	bodies bodies
}

// New returns a Sender. It does not connect.
func New(c Config) (*Sender, error) {
	c.Timeout, c.HandOver = cmp.Or(c.Timeout, time.Minute), cmp.Or(c.HandOver, 10*time.Minute)
	from, err := overTheWire(c.From.Address)
	if err != nil || !ascii(from) {
		return nil, errors.New("the address that e-mail comes from must be like office@example.org")
	}
	c.From.Address = from
	c.TLS = c.TLS.Clone()
	if c.TLS == nil {
		c.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	c.TLS.ServerName = cmp.Or(c.TLS.ServerName, c.Server.Host)
	b, err := newBodies()
	if err != nil {
		return nil, fmt.Errorf("templates of e-mail: %w", err)
	}
	return &Sender{c, b}, nil
}

// Send sends d to the server. It returns nil only if the server confirmed that it took the
// message; all other errors are [*Error] values.
func (s *Sender) Send(ctx context.Context, d Delivery) error {
	msg, to, err := s.message(d)
	if err != nil {
		return &Error{Refused, StepWrite, 0, err}
	}
	return s.send(ctx, msg, to, d.Last)
}

// SendTest sends a line to an address, to check whether messages arrive. Its errors are
// those of Send.
func (s *Sender) SendTest(ctx context.Context, to, id string) error {
	msg, to, err := s.envelope(mail.Address{Address: to}, s.c.From.Name, id)
	if err != nil {
		return &Error{Refused, StepWrite, 0, err}
	}
	msg.Subject("Test of the gateway's e-mail")
	msg.SetBodyString(gomail.TypeTextPlain, "This gateway can send e-mail: this message was asked for by its operator.\n")
	return s.send(ctx, msg, to, nil)
}

// send sends a message over a connection of its own; for last see [Delivery].
func (s *Sender) send(ctx context.Context, msg *gomail.Msg, to string, last func(context.Context) error) error {
	conn := &cuttable{}
	defer conn.cut()
	session, err := s.connect(ctx, conn)
	if err != nil {
		return err
	}
	// The library limits single waits but uses no context while it sends.
	ctx, cancel := context.WithTimeout(ctx, s.c.HandOver)
	defer cancel()
	defer contain.AfterFunc(ctx, "mail-cut", conn.cut)()
	if err := suits(session, msg, to); err != nil {
		return err
	}
	if err := handOver(ctx, session, msg, last); err != nil {
		return err
	}
	conn.expire(farewell) // only the goodbye can fail after that
	_ = session.Reset()
	_ = session.Quit()
	return nil
}

// handOver hands a message to the server (RFC 5321 section 3.3).
func handOver(ctx context.Context, session *smtp.Client, msg *gomail.Msg, last func(context.Context) error) error {
	from, err := msg.GetSender(false)
	if err != nil {
		return &Error{Refused, StepWrite, 0, err}
	}
	to, err := msg.GetRecipients()
	if err != nil {
		return &Error{Refused, StepWrite, 0, err}
	}
	if err := session.Mail(from); err != nil {
		e := answered(StepHandOver, err)
		if e.Code != CodeTooLarge { // all messages have this sender
			e.Outcome = Later
		}
		return e
	}
	for _, one := range to {
		if err := session.Rcpt(one); err != nil {
			return answered(StepHandOver, err)
		}
	}
	text, err := session.Data()
	if err != nil {
		return answered(StepHandOver, err)
	}
	if _, err := msg.WriteTo(text); err != nil {
		return failed(StepHandOver, err)
	}
	if last != nil {
		if err := last(ctx); err != nil {
			return failed(StepHandOver, err)
		}
	}
	if err := text.Close(); err != nil {
		return answered(StepConfirm, err)
	}
	return nil
}

// farewell is the time that a server has to say goodbye.
const farewell = 5 * time.Second

var (
	errTooLarge = errors.New("the message is larger than the server takes")
	errNoUTF8   = errors.New("the server takes no addresses beyond ASCII (SMTPUTF8, RFC 6531)")
)

// CodeTooLarge is the reply to a message that is larger than the server takes, or than the
// space that the recipient has left (RFC 5321 section 4.2.3).
const CodeTooLarge = 552

// suits checks whether the server can take the message at all, according to its extensions
// (RFC 1870, RFC 6531), and requests only those that the message needs: other servers on
// the way may refuse a message that is marked as international.
func suits(session *smtp.Client, msg *gomail.Msg, to string) error {
	session.SkipSMTPUTF8(ascii(to))
	if ok, _ := session.Extension("SMTPUTF8"); !ok && !ascii(to) {
		return &Error{Refused, StepWrite, 0, errNoUTF8}
	}
	_, said := session.Extension("SIZE")
	limit, err := strconv.ParseInt(said, 10, 64)
	if err != nil || limit <= 0 {
		return nil
	}
	if n, err := msg.WriteTo(io.Discard); err != nil || n > limit {
		return &Error{Refused, StepHandOver, CodeTooLarge, cmp.Or(err, errTooLarge)}
	}
	return nil
}

// envelope begins a message: its sender, recipient and unique name. It also returns the
// recipient's address as servers see it.
func (s *Sender) envelope(to mail.Address, from, id string) (*gomail.Msg, string, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(&mail.Address{Name: oneLine(from), Address: s.c.From.Address})
	if err := m.EnvelopeFrom(s.c.From.Address); err != nil {
		return nil, "", err
	}
	if s.c.ReplyTo != "" {
		if err := m.ReplyTo(s.c.ReplyTo); err != nil {
			return nil, "", err
		}
	}
	address, err := overTheWire(to.Address)
	if err != nil {
		return nil, "", err
	}
	m.AddToMailAddress(&mail.Address{Name: oneLine(to.Name), Address: address})
	m.SetMessageIDWithValue(id + "@" + domainOf(s.c.From.Address))
	m.SetDate()
	m.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no out-of-office answers
	return m, address, nil
}

// message builds the MIME message (RFC 5322, RFC 2045) of d.
func (s *Sender) message(d Delivery) (*gomail.Msg, string, error) {
	b, err := s.bodies.render(d)
	if err != nil {
		return nil, "", err
	}
	m, to, err := s.envelope(d.Recipient, d.Issuer, d.ID)
	if err != nil {
		return nil, "", err
	}
	m.Subject(b.subject)
	m.SetBodyString(gomail.TypeTextPlain, b.text)
	m.AddAlternativeString(gomail.TypeTextHTML, b.html)
	if f := d.Attachment; f != nil {
		err := m.AttachReader(f.Name, bytes.NewReader(f.Data), gomail.WithFileContentType(gomail.ContentType(f.ContentType)))
		if err != nil {
			return nil, "", err
		}
	}
	return m, to, nil
}
