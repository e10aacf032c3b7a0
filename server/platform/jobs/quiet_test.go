package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"
)

// lines is a handler that keeps its records.
type lines struct{ got []string }

func (*lines) Enabled(context.Context, slog.Level) bool { return true }
func (l *lines) WithAttrs([]slog.Attr) slog.Handler     { return l }
func (l *lines) WithGroup(string) slog.Handler          { return l }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	s := r.Message
	r.Attrs(func(a slog.Attr) bool {
		s += fmt.Sprint(" ", a)
		return true
	})
	l.got = append(l.got, s)
	return nil
}

// Records about tables pass once a minute and say how many were held back; those
// about jobs all pass.
func TestQuiet(t *testing.T) {
	t.Parallel()
	kept := &lines{}
	q := (&quiet{Handler: kept, rate: new(rate)}).WithAttrs(nil)
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	say := func(after time.Duration, message string, attrs ...slog.Attr) {
		t.Helper()
		r := slog.NewRecord(start.Add(after), slog.LevelError, message, 0)
		r.AddAttrs(attrs...)
		if err := q.Handle(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 600 { // a minute of failed polls
		say(time.Duration(i)*100*time.Millisecond, "poll", slog.String("err", "closed"))
	}
	say(30*time.Second, "panic", slog.Int("job_id", 1))
	say(61*time.Second, "clean", slog.String("err", "closed"))
	say(62*time.Second, "poll", slog.String("err", "closed"))
	say(122*time.Second, "poll")
	want := []string{
		"background work: poll err=closed", "background work: panic job_id=1",
		"background work: clean err=closed heldBack=599", "background work: poll heldBack=1",
	}
	if !slices.Equal(kept.got, want) {
		t.Errorf("%q, want %q", kept.got, want)
	}
	if q.Enabled(t.Context(), slog.LevelInfo) || !q.Enabled(t.Context(), slog.LevelWarn) {
		t.Error("enabled are not warnings and above")
	}
}
