package mail_test

import (
	"io"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"tcode/server/outbound/mail"
)

// TestInvitation: an invitation has its link once, in every language. Names stay on their line.
func TestInvitation(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	s := sender(t, listen(t, box, nil, nil), nil)
	const link = "https://tcode.acme.example/console/welcome/token"
	for i, language := range append(mail.Languages(), "xx") {
		err := s.SendInvitation(t.Context(), mail.Invitation{
			ID: "1", Recipient: netmail.Address{Name: "Kim\nBcc: all@acme.example", Address: "kim@acme.example"}, Language: language, Issuer: "Acme {by}\r\nSubject: x",
			By: "Ruth {link}", Link: link, Until: time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC),
		})
		if err != nil {
			t.Fatal(err)
		}
		all := box.taken()
		m, err := netmail.ReadMessage(strings.NewReader(string(all[len(all)-1].data)))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(quotedprintable.NewReader(m.Body))
		if err != nil {
			t.Fatal(err)
		}
		text, subject := string(raw), m.Header.Get("Subject")
		if n := strings.Count(text, link); n != 1 {
			t.Errorf("%s: the link %d times in %s", language, n, text)
		}
		if m.Header.Get("Bcc") != "" || len(m.Header["Subject"]) != 1 || subject == "" || !strings.Contains(text, "Ruth {link}") || !strings.Contains(text, "Acme {by} Subject: x") {
			t.Errorf("%s: %v %s", language, m.Header, text)
		}
		if i == 0 && !strings.Contains(text, "until 2026-11-27 12:00 UTC") {
			t.Errorf("no end: %s", text)
		}
		if strings.Contains(text, "{issuer}") || strings.Contains(text, "{name}") {
			t.Errorf("%s: %s", language, text)
		}
	}
}
