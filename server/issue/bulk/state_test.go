package bulk_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/server/fault"
	"tcode/server/issue/bulk"
)

var actions = []bulk.Action{
	bulk.Take, bulk.Accept, bulk.Pass, bulk.Reject, bulk.Finish, bulk.Falter, bulk.Fail, bulk.Cancel, bulk.Stopped, bulk.Retry,
}

// TestNext goes through every pair of status and action. A dash is refused.
func TestNext(t *testing.T) {
	t.Parallel()
	const no = bulk.Status("-")
	const (
		S  = bulk.Scheduled
		P  = bulk.Pending
		V  = bulk.Validating
		R  = bulk.Processing
		C  = bulk.Completed
		E  = bulk.CompletedWithErrors
		F  = bulk.Failed
		X  = bulk.Cancelling
		XX = bulk.Cancelled
	)
	table := map[bulk.Status][]bulk.Status{
		//   take accept pass reject finish falter fail cancel stopped retry
		S:  {V, no, no, no, no, no, no, XX, no, no},
		P:  {V, no, no, no, no, no, no, XX, no, no},
		V:  {no, R, C, F, no, no, no, X, no, no},
		R:  {no, no, no, no, C, E, F, X, no, no},
		C:  {no, no, no, no, no, no, no, no, no, no},
		E:  {no, no, no, no, no, no, no, no, no, P},
		F:  {no, no, no, no, no, no, no, no, no, P},
		X:  {no, no, no, no, no, no, no, X, XX, no},
		XX: {no, no, no, no, no, no, no, XX, no, P},
	}
	pairs := 0
	for _, from := range bulk.Statuses() {
		for i, a := range actions {
			pairs++
			to, err := from.Next(a)
			want := table[from][i]
			switch {
			case want == no && (!fault.Is(err, fault.Conflict) || fault.As(err).Code != fault.CodeInvalidTransition):
				t.Errorf("%s of %s: %s, %v, want INVALID_TRANSITION", a, from, to, err)
			case want != no && (err != nil || to != want):
				t.Errorf("%s of %s: %s, %v, want %s", a, from, to, err, want)
			}
		}
		if over := from == C || from == E || from == F || from == XX; from.Over() != over {
			t.Errorf("%s is over: %v", from, from.Over())
		}
	}
	if want := len(table) * len(actions); pairs != want || want != 90 {
		t.Errorf("%d pairs, want %d", pairs, want)
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	for c, want := range map[bulk.Counts]bulk.Action{
		{Total: 3, Succeeded: 3}:                        bulk.Finish,
		{Total: 3, Succeeded: 2, Failed: 1}:             bulk.Falter,
		{Total: 3, Succeeded: 1, Failed: 1, Skipped: 1}: bulk.Falter,
		{Total: 3, Failed: 3}:                           bulk.Fail,
		{Total: 1, Skipped: 1}:                          bulk.Fail,
	} {
		if got := c.Outcome(); got != want {
			t.Errorf("%+v: %s, want %s", c, got, want)
		}
	}
}

func TestParseStatus(t *testing.T) {
	t.Parallel()
	for _, s := range bulk.Statuses() {
		if got, ok := bulk.ParseStatus(string(s)); !ok || got != s {
			t.Errorf("%s: %s", s, got)
		}
	}
	if got, ok := bulk.ParseStatus("completedwitherrors"); !ok || got != bulk.CompletedWithErrors {
		t.Errorf("in another case: %s", got)
	}
	if _, ok := bulk.ParseStatus("Done"); ok {
		t.Error("a status that there is not")
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		name    string
		job     bulk.Job
		after   time.Duration
		percent float64
		eta     time.Duration // negative: not known
		rate    float64       // rows a second
	}{
		{"waits", bulk.Job{Status: bulk.Pending}, time.Hour, 0, -1, 0},
		{"is checked", bulk.Job{Status: bulk.Validating, Counts: bulk.Counts{Total: 10}}, time.Hour, 0, -1, 0},
		{"no row yet", bulk.Job{Status: bulk.Processing, Counts: bulk.Counts{Total: 10}, StartedAt: begun}, time.Minute, 0, -1, 0},
		{"a quarter", bulk.Job{Status: bulk.Processing, Counts: bulk.Counts{Total: 8, Succeeded: 1, Failed: 1}, StartedAt: begun}, 20 * time.Second, 25, time.Minute, 0.1},
		{"in whole seconds", bulk.Job{Status: bulk.Processing, Counts: bulk.Counts{Total: 7, Succeeded: 3}, StartedAt: begun}, 10 * time.Second, 100 * 3.0 / 7, 13 * time.Second, 0.3},
		{"a clock that goes back", bulk.Job{Status: bulk.Processing, Counts: bulk.Counts{Total: 4, Succeeded: 1}, StartedAt: begun}, -time.Second, 25, -1, 0},
		{"is being cancelled", bulk.Job{Status: bulk.Cancelling, Counts: bulk.Counts{Total: 4, Succeeded: 2}, StartedAt: begun}, 10 * time.Second, 50, 10 * time.Second, 0.2},
		{"done", bulk.Job{Status: bulk.Completed, Counts: bulk.Counts{Total: 4, Succeeded: 4}, StartedAt: begun}, time.Hour, 100, 0, 4. / 3600},
		{"with errors", bulk.Job{Status: bulk.CompletedWithErrors, Counts: bulk.Counts{Total: 4, Succeeded: 3, Failed: 1}, StartedAt: begun}, time.Hour, 100, 0, 4. / 3600},
		{"a dry run", bulk.Job{Status: bulk.Completed, Counts: bulk.Counts{Total: 4}}, time.Hour, 100, 0, 0},
		{"refused", bulk.Job{Status: bulk.Failed, Counts: bulk.Counts{Total: 4}}, time.Hour, 0, 0, 0},
		{"refused, unreadable", bulk.Job{Status: bulk.Failed}, time.Hour, 0, 0, 0},
		{"cancelled", bulk.Job{Status: bulk.Cancelled, Counts: bulk.Counts{Total: 4, Succeeded: 1, Skipped: 3}, StartedAt: begun}, time.Hour, 100, 0, 1. / 3600},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := bulk.Progress{Status: tt.job.Status, Counts: tt.job.Counts, Percent: tt.percent, ETA: tt.eta, Rate: tt.rate, StartedAt: tt.job.StartedAt}
			if diff := cmp.Diff(want, tt.job.Progress(begun.Add(tt.after))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
