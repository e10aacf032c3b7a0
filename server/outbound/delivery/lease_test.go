package delivery_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/outbound/mail"
	"tcode/server/platform/hold"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// A desk is a message that waits, and the moments of its sending: before the last line and
// after it.
type desk struct {
	*storetest.Bundle
	t             *testing.T
	id            string
	before, after func(ctx context.Context)
	sent          int
}

func newDesk(t *testing.T, engine storetest.Engine) *desk {
	t.Helper()
	d := &desk{Bundle: storetest.NewOn(t, engine), t: t, before: func(context.Context) {}, after: func(context.Context) {}}
	id := d.Tenant(t, "Acme", "ACME01")
	tpl, err := d.Trust.CreateTemplate(t.Context(), id, trustdoc.Spec{Name: "Diploma", DocumentTypeCode: "DIP"}, nil, nil)
	must(t, err)
	doc, err := d.Trust.Issue(t.Context(), id, trustdoc.Issuance{TemplateID: tpl.ID, RecipientName: "Ada", RecipientEmail: "ada@example.org"})
	must(t, err)
	d.id = doc.Delivery.ID
	_, err = d.service(d.DB, 0).Resend(t.Context(), d.id) // there was no mail server when it was issued
	must(t, err)
	return d
}

// service is that of one gateway.
func (d *desk) service(db delivery.Store, lease time.Duration) *delivery.Service {
	return delivery.NewService(delivery.Config{
		Store: db, Documents: d.Trust, Tenants: d.Tenants, Blobs: d.Blobs, Mailer: d, Now: d.Clock.Now, Lease: lease,
		PageURL: func(reference string) string { return "https://t.example/d/" + reference },
	})
}

// Send implements delivery.Mailer as package mail does, with a server that takes all.
func (d *desk) Send(ctx context.Context, m mail.Delivery) error {
	d.before(ctx)
	if err := errors.Join(ctx.Err(), m.Last(ctx), ctx.Err()); err != nil {
		return &mail.Error{Outcome: mail.Later, Step: mail.StepHandOver, Err: err}
	}
	d.after(ctx)
	if err := ctx.Err(); err != nil {
		return &mail.Error{Outcome: mail.Later, Step: mail.StepConfirm, Err: err}
	}
	d.sent++
	return nil
}

// message returns the message as it is now.
func (d *desk) message() delivery.Message {
	d.t.Helper()
	list, err := d.service(d.DB, 0).List(d.t.Context(), "ACME01", nil, 1)
	must(d.t, err)
	return list[0]
}

// steal takes the message as a gateway does that finds the lease ended.
func (d *desk) steal() {
	d.t.Helper()
	later := d.Clock.Now().Add(time.Hour)
	m, taken, err := d.DB.TakeMessage(d.t.Context(), d.id, "thief", later, later.Add(time.Hour))
	if err != nil || !taken || m.Reason != delivery.Interrupted {
		d.t.Fatalf("taken %v, %v: %+v", taken, err, m)
	}
}

// TestStolen: a gateway that stood still, and whose message another one took meanwhile, does
// not send the last line, and changes nothing of the other one's try.
func TestStolen(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		d := newDesk(t, engine)
		d.before = func(context.Context) { d.steal() }
		must(t, d.service(d.DB, 0).Work(t.Context(), d.id))
		if m := d.message(); d.sent != 0 || m.State != delivery.Sending || m.Tries != 2 {
			t.Errorf("sent %d times, %+v", d.sent, m)
		}
	})
}

// A lonely store is one of a gateway that reaches its database only sometimes.
type lonely struct {
	*store.DB
	away atomic.Bool
}

func (l *lonely) HoldMessage(ctx context.Context, m delivery.Message, owner string, until time.Time) error {
	if l.away.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return l.DB.HoldMessage(ctx, m, owner, until)
}

// TestLeaseNotRenewed: a try without renewals ends before the lease does, unless the server
// may have the message already: then the result counts, as no other gateway took it.
func TestLeaseNotRenewed(t *testing.T) {
	t.Parallel()
	const lease = 1500 * time.Millisecond
	t.Run("before the last line", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, storetest.DefaultEngine())
		l := &lonely{DB: d.DB}
		l.away.Store(true)
		d.before = func(ctx context.Context) { <-ctx.Done() }
		must(t, d.service(l, lease).Work(t.Context(), d.id))
		if m := d.message(); d.sent != 0 || m.State != delivery.Waiting || m.Reason != delivery.Interrupted {
			t.Errorf("sent %d times, %+v", d.sent, m)
		}
	})
	t.Run("after it", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, storetest.DefaultEngine())
		l := &lonely{DB: d.DB}
		d.after = func(ctx context.Context) {
			l.away.Store(true)
			select {
			case <-ctx.Done():
			case <-time.After(lease * 5 / 4):
			}
		}
		must(t, d.service(l, lease).Work(t.Context(), d.id))
		if m := d.message(); d.sent != 1 || m.State != delivery.Sent {
			t.Errorf("sent %d times, %+v", d.sent, m)
		}
	})
}

// TestHoldMessage: only its owner extends a lease, and only while it sends.
func TestHoldMessage(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		d := newDesk(t, engine)
		now := d.Clock.Now()
		m, taken, err := d.DB.TakeMessage(t.Context(), d.id, "me", now, now.Add(time.Second))
		if err != nil || !taken {
			t.Fatalf("taken %v, %v", taken, err)
		}
		must(t, d.DB.HoldMessage(t.Context(), m, "me", now.Add(time.Minute)))
		if err := d.DB.HoldMessage(t.Context(), m, "you", now.Add(time.Minute)); !errors.Is(err, hold.ErrLost) {
			t.Errorf("another owner: %v", err)
		}
		if _, taken, err := d.DB.TakeMessage(t.Context(), d.id, "you", now.Add(59*time.Second), now.Add(time.Hour)); err != nil || taken {
			t.Errorf("within the extended lease: taken %v, %v", taken, err)
		}
		must(t, d.DB.EndMessage(t.Context(), m, "me", delivery.End{Action: delivery.Confirm, At: now}))
		if err := d.DB.HoldMessage(t.Context(), m, "me", now.Add(time.Minute)); !errors.Is(err, hold.ErrLost) {
			t.Errorf("after its end: %v", err)
		}
	})
}

// TestFaultyMessage: a message whose sending panics waits for its next try, and counts it. After the
// last line the server may have it.
func TestFaultyMessage(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.DefaultEngine())
	s := d.service(d.DB, 0)
	d.before = func(context.Context) { panic("seeded") }
	must(t, s.Work(t.Context(), d.id))
	if m := d.message(); m.State != delivery.Waiting || m.Reason != delivery.FileUnavailable || m.Tries != 1 {
		t.Errorf("before the last line: %+v", m)
	}
	d.Clock.Add(time.Hour)
	d.before, d.after = func(context.Context) {}, d.before
	must(t, s.Work(t.Context(), d.id))
	if m := d.message(); m.State != delivery.Waiting || m.Reason != delivery.Unanswered || m.Tries != 2 {
		t.Errorf("after the last line: %+v", m)
	}
	d.Clock.Add(time.Hour)
	d.after = d.before
	must(t, s.Work(t.Context(), d.id))
	if m := d.message(); m.State != delivery.Sent || d.sent != 1 {
		t.Errorf("without the fault: %+v, sent %d times", m, d.sent)
	}
}
