package delivery_test

import (
	"fmt"
	"net"
	netmail "net/mail"
	"testing"
	"time"

	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/outbound/mail"
	"tcode/server/store/storetest"
)

// TestPoisoned: a message that ends its gateway in every try is given up, whatever the
// clock says, without one more try.
func TestPoisoned(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		b := storetest.NewOn(t, engine)
		id := b.Tenant(t, "Acme", "ACME01")
		tpl, err := b.Trust.CreateTemplate(t.Context(), id, trustdoc.Spec{Name: "Diploma", DocumentTypeCode: "DIP"}, nil, nil)
		must(t, err)
		d, err := b.Trust.Issue(t.Context(), id, trustdoc.Issuance{TemplateID: tpl.ID, RecipientName: "Ada", RecipientEmail: "ada@example.org"})
		must(t, err)
		server, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		defer server.Close()
		sender, err := mail.New(mail.Config{
			Server: mail.Server{Host: "127.0.0.1", Port: server.Addr().(*net.TCPAddr).Port, TLS: mail.NoTLS}, From: netmail.Address{Address: "office@t.example"},
			Timeout: 100 * time.Millisecond,
		})
		must(t, err)
		s := delivery.NewService(delivery.Config{
			Store: b.DB, Documents: b.Trust, Tenants: b.Tenants, Blobs: b.Blobs, Mailer: sender, Now: b.Clock.Now,
			PageURL: func(reference string) string { return "https://t.example/d/" + reference },
		})
		m, err := s.Resend(t.Context(), d.Delivery.ID) // there was no mail server when it was issued
		must(t, err)
		message := func() delivery.Message {
			t.Helper()
			list, err := s.List(t.Context(), "ACME01", nil, 1)
			must(t, err)
			return list[0]
		}
		tries := 0
		for ; tries < 100; tries++ { // each gateway ends in its try
			now := b.Clock.Now()
			taken, ok, err := b.DB.TakeMessage(t.Context(), m.ID, fmt.Sprint("gateway ", tries), now, now.Add(time.Minute))
			if err != nil || !ok || taken.Tries != tries+1 || (taken.Reason == delivery.Interrupted) != (tries > 0) {
				t.Fatalf("try %d: %+v, %v, %v", tries+1, taken, ok, err)
			}
			if taken.Tries == delivery.MaxTries {
				break
			}
			b.Clock.Add(time.Minute)
		}
		must(t, s.Work(t.Context(), m.ID))
		if got := message(); got.State != delivery.Sending {
			t.Errorf("while its last try may go on it is %s", got.State)
		}
		b.Clock.Add(time.Minute)
		must(t, s.Work(t.Context(), m.ID))
		got := message()
		if got.State != delivery.Failed || got.Reason != delivery.Interrupted || !got.GiveUpAt.After(b.Clock.Now()) {
			t.Errorf("after %d tries: %+v", tries+1, got)
		}
		must(t, server.(*net.TCPListener).SetDeadline(time.Now()))
		if conn, err := server.Accept(); err == nil {
			conn.Close()
			t.Error("it was tried again")
		}
		again, err := s.ResendFailed(t.Context(), "ACME01", time.Time{})
		if err != nil || again != 1 || message().Tries != 0 {
			t.Errorf("asked for again: %d, %v, %+v", again, err, message())
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
