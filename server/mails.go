package server

import (
	"cmp"
	"context"
	"errors"
	netmail "net/mail"
	"strings"
	"time"

	"tcode/server/account"
	"tcode/server/httpapi"
	"tcode/server/issue/stamp"
	"tcode/server/outbound/delivery"
	"tcode/server/outbound/mail"
	"tcode/server/platform/hold"
	"tcode/server/platform/jobs"
)

// MailConfig is the configuration of e-mail. Its zero value sends none.
type MailConfig struct {
	mail.Config // Server.Host empty: no e-mail

	FirstWait time.Duration // before the second try, and half of the wait before the third; zero: a minute
	Lease     time.Duration // time for which a message belongs to a gateway that gives no sign of life; zero: [Config.Hold]
}

func (c MailConfig) configured() bool { return c.Server.Host != "" }

// ErrNoPublicURL means that e-mail is configured without the public address for its
// links.
var ErrNoPublicURL = errors.New("e-mail needs the gateway's public address for its links")

// newDelivery makes the service that sends documents to their recipients.
func (g *Gateway) newDelivery() (*delivery.Service, error) {
	c := delivery.Config{
		Store: g.db, Documents: g.Documents, Stamps: g.Stamps, Tenants: g.Tenants, Blobs: g.files,
		FirstWait: g.c.Mail.FirstWait, Lease: cmp.Or(g.c.Mail.Lease, g.c.Hold),
		Count: func(a delivery.Action) { g.metrics.Mail(string(a)) }, Now: g.sharedNow, Log: g.c.Log,
	}
	if !g.c.Mail.configured() {
		return delivery.NewService(c), nil
	}
	base := g.c.PublicURL
	if base == "" {
		return nil, ErrNoPublicURL
	}
	sender, err := mail.New(g.c.Mail.Config)
	if err != nil {
		return nil, err
	}
	c.Mailer = sender
	c.PageURL = g.pageURL()
	c.FileURL = func(m delivery.Message, f delivery.File, until time.Time) string {
		file := stamp.File{SHA256: f.SHA256, FileName: f.Name, ContentType: f.ContentType}
		return httpapi.MailURL(g.urls, base, m.Tenant, file, m.Stamp, m.Document, until)
	}
	return delivery.NewService(c), nil
}

// pageURL returns what makes the public address of a reference's page; nil: the gateway does not know its own address.
func (g *Gateway) pageURL() func(reference string) string {
	if g.c.PublicURL == "" {
		return nil
	}
	base := strings.TrimSuffix(strings.TrimRight(g.c.PublicURL, "/"), "/v1")
	return func(reference string) string { return base + httpapi.PagePath + reference }
}

// invitations sends invitations of users.
type invitations struct {
	*mail.Sender
	base string // public address of the gateway
}

// Invite sends a message.
func (i invitations) Invite(ctx context.Context, m account.Message) error {
	return i.SendInvitation(ctx, mail.Invitation{
		ID: m.ID, Recipient: netmail.Address{Name: m.To.Name, Address: m.To.Email}, Language: m.Language, Issuer: m.Issuer, By: m.By, Link: i.base + "/console/welcome/" + m.Token, Until: m.ExpiresAt,
	})
}

// newInvitations returns what sends invitations, or nil without a mail server.
func (g *Gateway) newInvitations() (account.Mailer, error) {
	if !g.c.Mail.configured() {
		return nil, nil
	}
	if g.c.PublicURL == "" {
		return nil, ErrNoPublicURL
	}
	sender, err := mail.New(g.c.Mail.Config)
	return invitations{sender, strings.TrimSuffix(g.c.PublicURL, "/v1")}, err
}

// mailsAtOnce is the number of messages that a gateway sends concurrently: each has a
// connection of its own, and its file in memory.
const mailsAtOnce = 4

// mailQuiet is longer than the longest try of a message.
const mailQuiet = 35 * time.Minute

// mailHandlers returns the background work of a gateway that sends e-mail.
func (g *Gateway) mailHandlers() []jobs.Handler {
	if !g.Delivery.Configured() {
		return nil
	}
	return []jobs.Handler{{
		Kind: jobs.Mail, AtOnce: mailsAtOnce, Timeout: -1, Work: g.Delivery.Work, Due: g.Delivery.Wake, Every: hold.Look,
		SetAside: g.Delivery.SetAside, Quiet: mailQuiet,
	}}
}

// waitingMails counts the messages that are not over, by state.
func (g *Gateway) waitingMails(ctx context.Context) (map[string]int, error) {
	counts, err := g.Delivery.Waiting(ctx)
	out := make(map[string]int, len(counts))
	for s, n := range counts {
		out[string(s)] = n
	}
	return out, err
}
