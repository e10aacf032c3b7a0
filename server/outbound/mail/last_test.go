package mail_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"tcode/server/outbound/mail"
)

// TestLast: a message of which the last line is not sent is not taken by the server,
// although it has the whole text.
func TestLast(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]error{"go on": nil, "lost": errors.New("in other hands")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := &inbox{}
			d, asked := delivery(), 0
			d.Attachment = &mail.File{Name: "a.pdf", ContentType: "application/pdf", Data: bytes.Repeat([]byte("%PDF text "), 10_000)}
			d.Last = func(context.Context) error {
				asked++
				if len(box.taken()) != 0 {
					t.Error("it was taken before")
				}
				return said
			}
			err := sender(t, listen(t, box, nil, nil), nil).Send(t.Context(), d)
			taken := len(box.taken())
			if said == nil {
				if err != nil || taken != 1 || asked != 1 {
					t.Errorf("error %v, taken %d, asked %d", err, taken, asked)
				}
				return
			}
			e, ok := errors.AsType[*mail.Error](err)
			if !ok || e.Outcome != mail.Later || e.Step != mail.StepHandOver || !errors.Is(err, said) || taken != 0 || asked != 1 {
				t.Errorf("error %#v, taken %d, asked %d", err, taken, asked)
			}
		})
	}
}
