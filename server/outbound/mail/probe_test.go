package mail_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"tcode/server/outbound/mail"
)

func TestSendTest(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	s := sender(t, listen(t, box, nil, nil), nil)
	if err := s.SendTest(t.Context(), "ada@example.org", "probe-1"); err != nil {
		t.Fatal(err)
	}
	got := box.taken()
	if len(got) != 1 || got[0].to != "ada@example.org" {
		t.Fatalf("took %d messages", len(got))
	}
	header, leaves, _ := parts(t, got[0].data)
	if header.Get("Message-Id") != "<probe-1@t.example>" || !strings.Contains(leaves["text/plain"], "asked for by its operator") {
		t.Errorf("%v\n%s", header, leaves["text/plain"])
	}
	for address, server := range map[string]mail.Server{
		"no address":      {Host: "127.0.0.1", Port: 1, TLS: mail.NoTLS}, // it is not asked
		"ada@example.org": listen(t, &inbox{onRcpt: &smtp.SMTPError{Code: 550, Message: "no"}}, nil, nil),
	} {
		err := sender(t, server, nil).SendTest(t.Context(), address, "probe-2")
		if e, ok := errors.AsType[*mail.Error](err); !ok || e.Outcome != mail.Refused {
			t.Errorf("%s: %v", address, err)
		}
	}
}
