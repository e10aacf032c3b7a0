package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	netmail "net/mail"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/outbound/delivery"
	"tcode/server/outbound/mail"
)

// smtpVariable names the server with its password, because every user of the
// machine can see a command line.
const smtpVariable = "TCODE_SMTP_URL"

// mailFlags configure the sending of e-mail.
type mailFlags struct {
	SMTP    string `name:"smtp-url" help:"Server that sends e-mail, smtp://USER@HOST:587 (STARTTLS) or smtps://; with a password only in the environment or in --config. Default: no e-mail." secret:"" env:"TCODE_SMTP_URL" placeholder:"URL"`
	From    string `name:"mail-from" help:"Sender address of e-mail; the issuer's name comes before it." env:"TCODE_MAIL_FROM" placeholder:"ADDRESS"`
	ReplyTo string `name:"mail-reply-to" help:"Address for replies. Default: --mail-from." env:"TCODE_MAIL_REPLY_TO" placeholder:"ADDRESS"`
}

// config returns the flags' configuration; it is zero if they name no server.
func (f mailFlags) config(file cli.ConfigFile) (mail.Config, error) {
	if f.SMTP == "" {
		return mail.Config{}, nil
	}
	s, err := mail.ParseURL(f.SMTP)
	if err != nil {
		return mail.Config{}, cli.Usage("--smtp-url: %v", err)
	}
	if s.Password != "" && os.Getenv(smtpVariable) != f.SMTP && !file.Has("smtp-url", f.SMTP) {
		return mail.Config{}, cli.Usage("--smtp-url holds a password, which every user of this machine can see: give it in $%s or in --config", smtpVariable)
	}
	from, err := netmail.ParseAddress(f.From)
	if err != nil {
		return mail.Config{}, cli.Usage("--mail-from: want an address such as office@example.org")
	}
	c := mail.Config{Server: s, From: *from}
	if f.ReplyTo != "" {
		to, err := netmail.ParseAddress(f.ReplyTo)
		if err != nil {
			return mail.Config{}, cli.Usage("--mail-reply-to: want an address such as help@example.org")
		}
		c.ReplyTo = to.Address
	}
	return c, nil
}

// A mailLine is a message as the commands print it. The document names its
// recipient.
type mailLine struct {
	ID        string     `json:"id"`
	Document  string     `json:"documentId,omitempty"`
	Stamp     string     `json:"stampId,omitempty"`
	Reference string     `json:"reference,omitempty"`
	State     string     `json:"state"`
	Reason    string     `json:"reason,omitempty"`
	Detail    string     `json:"detail"` // in words
	Tries     int        `json:"tries"`
	Code      int        `json:"code,omitempty"`
	NextTryAt *time.Time `json:"nextTryAt,omitempty"`
	SentAt    *time.Time `json:"sentAt,omitempty"`
	CreatedAt time.Time  `json:"createdAt"`
}

func mailLineOf(m delivery.Message) mailLine {
	l := mailLine{
		ID: m.ID, Document: m.Document, Stamp: m.Stamp, Reference: m.Reference, State: string(m.State), Reason: string(m.Reason),
		Detail: m.Words(), Tries: m.Tries, Code: m.Code, SentAt: timeOf(m.SentAt), CreatedAt: m.CreatedAt.UTC(),
	}
	if m.State == delivery.Waiting {
		l.NextTryAt = timeOf(m.NextAt)
	}
	return l
}

func timeOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// why returns the reason of a failure in a word or two.
func (l mailLine) why() string {
	if l.Code != 0 {
		return l.Reason + " " + strconv.Itoa(l.Code)
	}
	return orDash(l.Reason)
}

type mailListCmd struct {
	Tenant string   `help:"The tenant." required:"" placeholder:"REF"`
	State  []string `help:"Only messages in this state: NotConfigured, Waiting, Sending, Sent, Refused, Failed or Dropped. May be repeated." placeholder:"STATE"`
	Limit  int      `help:"Number of messages, newest first. Default: ${default}." default:"100" placeholder:"N"`
}

// Run shows the messages.
func (m *mailListCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		var states []delivery.State
		for _, s := range m.State {
			states = append(states, delivery.State(s))
		}
		list, err := g.Delivery.List(ctx, m.Tenant, states, m.Limit)
		if err != nil {
			return err
		}
		return cli.List(out, linesOf(list, mailLineOf), "no such e-mail", []string{"id", "document", "state", "tries", "why", "next try", "created"}, func(l mailLine) []string {
			next := "-"
			if l.NextTryAt != nil {
				next = l.NextTryAt.Format(time.RFC3339)
			}
			return []string{l.ID, l.Reference, l.State, strconv.Itoa(l.Tries), l.why(), next, l.CreatedAt.Format(time.RFC3339)}
		})
	})
}

type mailResendCmd struct {
	ID     string    `arg:"" optional:"" help:"The message, as mail list shows it." placeholder:"ID"`
	Tenant string    `help:"With --since: the tenant." placeholder:"REF"`
	Since  time.Time `help:"All that are Failed and were made since then, such as 2026-11-20T00:00:00Z." placeholder:"TIME"`
}

// Run requeues the messages.
func (m *mailResendCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	one, many := m.ID != "", m.Tenant != "" && !m.Since.IsZero()
	if one == many || one && (m.Tenant != "" || !m.Since.IsZero()) {
		return cli.Usage("want a message's ID, or --tenant and --since")
	}
	if many {
		return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
			n, err := g.Delivery.ResendFailed(ctx, m.Tenant, m.Since)
			if err != nil {
				return err
			}
			return out.Emit(map[string]int{"messages": n}, func(w io.Writer) {
				fmt.Fprintf(w, "%d queued, for the serving gateway to send\n", n)
			})
		})
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		made, err := g.Delivery.Resend(ctx, m.ID)
		if err != nil {
			return err
		}
		return out.Emit(mailLineOf(made), func(w io.Writer) { fmt.Fprintf(w, "%s is %s\n", made.ID, made.State) })
	})
}

type mailTestCmd struct {
	Address string `arg:"" help:"The recipient's address." placeholder:"ADDRESS"`

	Mail mailFlags `embed:""`
}

// Run sends the line.
func (m *mailTestCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	cfg, err := m.Mail.config(c.Config)
	if err != nil {
		return err
	}
	if cfg.Server.Host == "" {
		return cli.Usage("no server: give --smtp-url, or $%s", smtpVariable)
	}
	sender, err := mail.New(cfg)
	if err != nil {
		return err
	}
	id := uuid.NewString()
	if err := sender.SendTest(ctx, m.Address, id); err != nil {
		// The operator may see the server's answer: the address belongs to the
		// operator.
		return fmt.Errorf("%w: %w", err, errors.Unwrap(err))
	}
	line := map[string]string{"messageId": id, "server": cfg.Server.String()}
	return c.output(std).Emit(line, func(w io.Writer) { fmt.Fprintf(w, "%s took the message\n", cfg.Server) })
}

// language returns a language for e-mail, or an error that lists all.
func language(tag string) (string, error) {
	known := mail.Languages()
	if i := slices.IndexFunc(known, func(l string) bool { return strings.EqualFold(l, tag) }); i >= 0 {
		return known[i], nil
	}
	return "", cli.Usage("--language %s: e-mail is written in %s", tag, strings.Join(known, ", "))
}
