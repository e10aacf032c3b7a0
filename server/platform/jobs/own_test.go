package jobs

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"tcode/offline/contain"
)

// TestRests: a subject that had a fault rests. One that met another error, such as an outage of the
// database, does not: its service tries again when it wants.
func TestRests(t *testing.T) {
	t.Parallel()
	r := rests{of: map[Task]rest{}}
	work := Task{Kind: Publication, Subject: "documents"}
	if r.note(work, io.EOF); r.reason(work) != nil {
		t.Errorf("after an error: %v", r.reason(work))
	}
	ended := fmt.Errorf("publish: %w", &endedError{cause: "exit status 7"})
	if r.note(work, ended); !errors.Is(r.reason(work), contain.ErrEnded) {
		t.Errorf("after the end of its process: %v", r.reason(work))
	}
	if r.note(work, nil); r.reason(work) != nil {
		t.Errorf("after success: %v", r.reason(work))
	}
}
