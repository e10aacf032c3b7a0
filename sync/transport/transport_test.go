package transport_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"tcode/sync/transport"
)

func TestError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err        error
		text       string
		unanswered bool
	}{
		{&transport.Error{Reason: transport.ErrTimeout}, "server too slow", true},
		{&transport.Error{Reason: transport.ErrUnreachable, Err: io.EOF}, "EOF", true},
		{fmt.Errorf("refresh: %w", &transport.Error{Reason: transport.ErrTLS, Err: io.EOF}), "refresh: EOF", true},
		{&transport.Error{Reason: transport.ErrCut, Answered: true, Err: io.ErrUnexpectedEOF}, "unexpected EOF", false},
		{&transport.Error{Reason: transport.ErrTimeout, Answered: true}, "server too slow", false},
		{transport.Request{}.Check(), `request cannot be sent: method ""`, false},
		{io.EOF, "EOF", false},
		{nil, "", false},
	} {
		if got := transport.Unanswered(tt.err); got != tt.unanswered {
			t.Errorf("Unanswered(%v) = %v", tt.err, got)
		}
		if tt.err != nil && tt.err.Error() != tt.text {
			t.Errorf("text %q, want %q", tt.err, tt.text)
		}
	}
	cut := &transport.Error{Reason: transport.ErrCut, Err: io.ErrUnexpectedEOF}
	if !errors.Is(cut, transport.ErrCut) || !errors.Is(cut, io.ErrUnexpectedEOF) || errors.Is(cut, transport.ErrTLS) {
		t.Error("an error is not its reason and its cause")
	}
}
