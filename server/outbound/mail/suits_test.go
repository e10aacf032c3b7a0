package mail_test

import (
	"bytes"
	"errors"
	"testing"

	"tcode/server/outbound/mail"
)

// TestAddresses: a domain of any letters needs no extension, a local part beyond ASCII
// does, and Send requests only the needed ones.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		to, want string // "": refused
		ascii    bool   // the server takes only ASCII
		utf8     bool   // the message is marked as international
	}{
		{"ada@example.org", "ada@example.org", true, false},
		{"ada@example.org", "ada@example.org", false, false},
		{"ada@b\u00fccher.example", "ada@xn--bcher-kva.example", true, false},
		{"ada@b\u00fccher.example", "ada@xn--bcher-kva.example", false, false},
		{"l\u00f6we@example.org", "l\u00f6we@example.org", false, true},
		{"l\u00f6we@b\u00fccher.example", "l\u00f6we@xn--bcher-kva.example", false, true},
		{"l\u00f6we@example.org", "", true, false},
		{"no address", "", false, false},
		{"ada@a..example", "", false, false},
	} {
		box := &inbox{ascii: tt.ascii}
		d := delivery()
		d.Recipient.Address = tt.to
		err := sender(t, listen(t, box, nil, nil), nil).Send(t.Context(), d)
		got := box.taken()
		if tt.want == "" {
			if e, ok := errors.AsType[*mail.Error](err); !ok || e.Outcome != mail.Refused || e.Step != mail.StepWrite || e.Code != 0 || len(got) != 0 {
				t.Errorf("%s: error %#v, took %d; want it refused as no address", tt.to, err, len(got))
			}
			continue
		}
		if err != nil || len(got) != 1 || got[0].to != tt.want || got[0].utf8 != tt.utf8 {
			t.Errorf("%s: %v, took %d; want it for %s, marked %v", tt.to, err, len(got), tt.want, tt.utf8)
		}
	}
}

// TestLimit: a message that is too large for the server's limit is not sent to it.
func TestLimit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		limit int64
		taken bool
	}{"none": {0, true}, "large": {1 << 20, true}, "small": {10_000, false}} {
		box := &inbox{limit: tt.limit}
		d := delivery()
		d.Attachment = &mail.File{Name: "a.pdf", ContentType: "application/pdf", Data: bytes.Repeat([]byte("%PDF"), 10_000)}
		err := sender(t, listen(t, box, nil, nil), nil).Send(t.Context(), d)
		if tt.taken {
			if err != nil || len(box.taken()) != 1 {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if e, ok := errors.AsType[*mail.Error](err); !ok || e.Outcome != mail.Refused || e.Code != mail.CodeTooLarge || e.Step != mail.StepHandOver || len(box.taken()) != 0 {
			t.Errorf("%s: error %#v", name, err)
		}
	}
}
