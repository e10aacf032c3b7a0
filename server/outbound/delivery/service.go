package delivery

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	netmail "net/mail"
	"slices"
	"strings"
	"time"

	"tcode/offline/contain"
	"tcode/server/fault"
	"tcode/server/outbound/mail"
	"tcode/server/platform/hold"
	"tcode/server/tenant"
)

// MaxAttachment is the largest attached file, in bytes: many servers accept no message
// above 20 MB, and Base64 adds a third. A larger file, or one that this server refuses for
// its size, is linked instead.
const MaxAttachment = 10 << 20

// LinkFor is the time for which such a link works.
const LinkFor = 14 * 24 * time.Hour

// Mailer hands messages to a server. Package mail implements it.
type Mailer interface {
	// Send returns nil when the server confirmed the message, else a
	// [*mail.Error].
	Send(ctx context.Context, d mail.Delivery) error
}

// Config is the configuration of a [Service]. The members up to Blobs are required.
type Config struct {
	Store     Store
	Documents Documents
	Stamps    Stamps
	Tenants   Tenants
	Blobs     Blobs

	Mailer    Mailer                                          // nil: nothing is sent
	PageURL   func(reference string) string                   // of a document's public page; needed to send
	FileURL   func(m Message, f File, until time.Time) string // address to fetch a file from; needed to send
	FirstWait time.Duration                                   // before the second try; zero: a minute
	Lease     time.Duration                                   // time for which one gateway has a message without a renewal; zero: [hold.Default]
	Count     func(outcome Action)                            // counts tries by result; nil: not counted
	Now       func() time.Time                                // nil: time.Now
	Log       *slog.Logger                                    // nil: discards
}

// Service delivers. It is safe for concurrent use.
type Service struct{ c Config }

// NewService returns the service.
func NewService(c Config) *Service {
	c.FirstWait = cmp.Or(c.FirstWait, firstWait)
	c.Lease = cmp.Or(c.Lease, hold.Default)
	if c.Count == nil {
		c.Count = func(Action) {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{c}
}

// Configured reports whether the gateway sends e-mail.
func (s *Service) Configured() bool { return s.c.Mailer != nil }

func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }

// Work tries to deliver the message id, if it is due and no other gateway is sending it.
// An error means that the result of the try could not be stored: the message is then tried
// again when its lease ends.
func (s *Service) Work(ctx context.Context, id string) error {
	owner, now := hold.Owner(ctx), s.now()
	m, taken, err := s.c.Store.TakeMessage(ctx, id, owner, now, now.Add(s.c.Lease))
	if err != nil || !taken {
		return err
	}
	l := s.lease(ctx, m, owner)
	defer l.end()
	var e End
	if now := s.now(); m.Reason == Interrupted && (m.Tries > maxTries || !now.Before(m.GiveUpAt)) {
		e = End{Action: GiveUp, Reason: Interrupted, At: now} // the message may be the cause
	} else {
		e = s.try(l.try, m, l)
	}
	if err := s.store(ctx, m, owner, e); err != nil {
		return err
	}
	s.c.Count(e.Action)
	level := slog.LevelDebug
	if e.Action == GiveUp || e.Action == Refuse {
		level = slog.LevelWarn
	}
	s.c.Log.Log(ctx, level, "e-mail", slog.String("message", m.ID), slog.String("tenant", m.Tenant), slog.String("outcome", string(e.Action)),
		slog.String("reason", string(e.Reason)), slog.Int("code", e.Code), slog.Int("tries", m.Tries))
	return nil
}

// send sends m, also with a link in place of a file that is too large.
func (s *Service) send(ctx context.Context, m Message, l *lease) End {
	d, f, e := s.write(ctx, m)
	d.Last = l.last
	if e.Action == "" {
		e = l.outcomeOf(s.c.Mailer.Send(ctx, d))
	}
	if e.Action == Refuse && e.Code == mail.CodeTooLarge && d.Attachment != nil {
		s.link(&d, m, *f)
		e = l.outcomeOf(s.c.Mailer.Send(ctx, d))
	}
	return e
}

// try sends m and returns the result.
func (s *Service) try(ctx context.Context, m Message, l *lease) End {
	var sent End
	err := contain.Within(contain.SeedNamed(ctx, m.ID), "mail-try", longest, func(ctx context.Context) error {
		sent = s.send(ctx, m, l)
		return nil
	})
	e := l.faulted()
	if err == nil {
		e = sent
	}
	e.At = s.now()
	if e.Action != Postpone {
		return e
	}
	// The last try is at the end of all time, not at the end of the next wait.
	e.NextAt = e.At.Add(s.wait(m.Tries))
	if e.NextAt.After(m.GiveUpAt) {
		e.NextAt = m.GiveUpAt
	}
	if !e.At.Before(m.GiveUpAt) || m.Tries >= maxTries {
		e.Action, e.NextAt = GiveUp, time.Time{}
	}
	return e
}

// wait returns the wait after a number of tries.
func (s *Service) wait(tries int) time.Duration {
	return s.c.FirstWait << min(max(tries, 1)-1, 16)
}

// outcomeOf converts the error of a send to a result.
func outcomeOf(err error) End {
	if err == nil {
		return End{Action: Confirm}
	}
	e := End{Action: Postpone, Reason: Unreachable}
	said, ok := errors.AsType[*mail.Error](err)
	if !ok {
		return e
	}
	e.Code = said.Code
	switch {
	case said.Step == mail.StepWrite:
		e.Reason = Unwritable
	case said.Step == mail.StepSecure:
		e.Reason = Insecure
	case said.Step == mail.StepLogin:
		e.Reason = NoLogin
	case said.Code != 0:
		e.Reason = Answered
	case said.Step == mail.StepConfirm:
		e.Reason = Unanswered
	}
	if said.Outcome == mail.Refused {
		e.Action = Refuse
	}
	return e
}

// write makes the mail of m and returns it with its file, if there is one, or the reason
// not to send it.
func (s *Service) write(ctx context.Context, m Message) (mail.Delivery, *File, End) {
	not := func(err error) (mail.Delivery, *File, End) {
		s.c.Log.ErrorContext(ctx, "write e-mail", slog.String("message", m.ID), slog.Any("err", err))
		return mail.Delivery{}, nil, End{Action: Postpone, Reason: FileUnavailable}
	}
	l, err := s.letter(ctx, m)
	if err != nil {
		return not(err)
	}
	issuer, err := s.c.Tenants.Tenant(ctx, m.Tenant)
	if err != nil {
		return not(err)
	}
	if issuer.State != tenant.Active {
		l.Hold = Suspended
	}
	switch {
	case l.Stop != "":
		return mail.Delivery{}, nil, End{Action: Drop, Reason: l.Stop}
	case l.Hold != "":
		return mail.Delivery{}, nil, End{Action: Postpone, Reason: l.Hold}
	}
	d := mail.Delivery{
		ID: m.mailID(), Recipient: netmail.Address{Name: l.RecipientName, Address: l.RecipientEmail}, Language: issuer.Language,
		Issuer: issuer.Name, Title: l.Title, Reference: l.Reference, IssuedAt: l.IssuedAt, ExpiresAt: l.ExpiresAt,
		CheckURL: s.c.PageURL(l.PageReference), Test: l.Test,
	}
	switch f := l.File; {
	case f == nil:
	case f.SizeBytes > MaxAttachment:
		s.link(&d, m, *f)
	default:
		data, err := s.c.Blobs.Get(ctx, f.SHA256)
		if err != nil {
			return not(err)
		}
		d.Attachment = &mail.File{Name: f.Name, ContentType: f.ContentType, Data: data}
	}
	return d, l.File, End{}
}

func (s *Service) letter(ctx context.Context, m Message) (Letter, error) {
	if m.Stamp != "" {
		return s.c.Stamps.Letter(ctx, m.Tenant, m.Stamp, m.Field)
	}
	return s.c.Documents.Letter(ctx, m.Tenant, m.Document)
}

// link replaces the attachment of d by a link.
func (s *Service) link(d *mail.Delivery, m Message, f File) {
	d.Attachment, d.LinkUntil = nil, s.now().Add(LinkFor).Truncate(time.Second)
	d.Link = s.c.FileURL(m, f, d.LinkUntil)
}

// Wake wakes gateways for messages that no gateway handled in time.
func (s *Service) Wake(ctx context.Context) error { return s.c.Store.WakeMessages(ctx, s.now()) }

// Waiting counts the messages that are Waiting or Sending, of all tenants.
func (s *Service) Waiting(ctx context.Context) (map[State]int, error) {
	return s.c.Store.WaitingMessages(ctx)
}

// maxList bounds [Service.List].
const maxList = 1000

// List returns a tenant's messages in some states, or all, newest first, at most limit. An
// unknown state is a VALIDATION_FAILED fault.
func (s *Service) List(ctx context.Context, tenantRef string, states []State, limit int) ([]Message, error) {
	var p fault.Fields
	for i, st := range states {
		at := slices.IndexFunc(States(), func(known State) bool { return strings.EqualFold(string(known), string(st)) })
		if at < 0 {
			p.Add("state", "must be one of %v", States())
			break
		}
		states[i] = States()[at]
	}
	if limit < 1 || limit > maxList {
		p.Add("limit", "must be 1 to %d", maxList)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	t, err := s.c.Tenants.Tenant(ctx, tenantRef)
	if err != nil {
		return nil, err
	}
	return s.c.Store.Messages(ctx, t.Reference, states, limit)
}

// Resend sends a message again whose delivery is over: as a new message if it had been
// sent, else as the same one, because a server may have taken it.
func (s *Service) Resend(ctx context.Context, id string) (Message, error) {
	now := s.now()
	return s.c.Store.ResendMessage(ctx, id, now, tenant.NewEntry(ctx, "", "mail.resend", id, now))
}

// ResendFailed sends again all of a tenant's messages that failed, or that were held after
// a restore, and were made at since or later. It returns their number.
func (s *Service) ResendFailed(ctx context.Context, tenantRef string, since time.Time) (int, error) {
	t, err := s.c.Tenants.Tenant(ctx, tenantRef)
	if err != nil {
		return 0, err
	}
	now := s.now()
	audit := tenant.NewEntry(ctx, t.Reference, "mail.resend", t.Reference, now).With("since", since.UTC().Format(time.RFC3339))
	return s.c.Store.ResendMessages(ctx, t.Reference, since, now, audit)
}

// NoMessage returns the fault for an unknown message.
func NoMessage() error { return fault.New(fault.NotFound, fault.CodeNotFound, "message not found") }
