package privacy_test

import (
	"strings"
	"testing"
	"time"

	"tcode/server/fault"
	"tcode/server/privacy"
)

// TestRules: the table does not contradict itself.
func TestRules(t *testing.T) {
	t.Parallel()
	seen := map[privacy.Kind]bool{}
	for _, r := range privacy.Rules() {
		if seen[r.Kind] || r.What == "" || r.Least < 1 || r.Longest() < r.Least || r.Default != 0 && (r.Default < r.Least || r.Default > r.Longest()) {
			t.Errorf("%+v", r)
		}
		seen[r.Kind] = true
		days := r.Longest()
		if err := (privacy.Settings{r.Kind: days}).Check(); (err == nil) == r.Fixed {
			t.Errorf("%s=%d: %v", r.Kind, days, err)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		set  privacy.Settings
		want string // in the fault; "": none
	}{
		{nil, ""},
		{privacy.Settings{privacy.History: 30, privacy.Originals: 0, privacy.Scans: 3650}, ""},
		{privacy.Settings{privacy.History: 29}, "must be 30 to 3650 days, or forever"},
		{privacy.Settings{privacy.History: 3651}, "must be 30 to 3650 days, or forever"},
		{privacy.Settings{privacy.History: -1}, "must be 30 to 3650 days, or forever"},
		{privacy.Settings{privacy.Answers: 1}, "is always kept for a day"},
		{privacy.Settings{privacy.Deliveries: 0}, "is always kept for 30 days"},
		{privacy.Settings{"secrets": 5}, "no such kind of data"},
	} {
		err := tt.set.Check()
		got := ""
		if f := fault.As(err); err != nil {
			for _, messages := range f.Texts() {
				got += strings.Join(messages, "; ")
			}
		}
		if got != tt.want {
			t.Errorf("%v: %q, want %q", tt.set, got, tt.want)
		}
	}
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	set := privacy.Settings{privacy.History: 10, privacy.Scans: 0}
	for kind, want := range map[privacy.Kind]time.Time{
		privacy.History: now.AddDate(0, 0, -10), privacy.Scans: {}, privacy.Mails: now.AddDate(0, 0, -365), privacy.Originals: {},
	} {
		if got := set.Before(kind, now); !got.Equal(want) {
			t.Errorf("%s is kept from %s, want %s", kind, got, want)
		}
	}
}

// TestSteps: every step is reached once, and the last one is the end.
func TestSteps(t *testing.T) {
	t.Parallel()
	steps := privacy.Steps()
	seen := map[privacy.Step]bool{}
	for _, s := range steps {
		if seen[s] {
			t.Errorf("%s comes twice", s)
		}
		seen[s] = true
	}
	if len(steps) != 8 || steps[len(steps)-1] != privacy.StepDone {
		t.Errorf("steps %q", steps)
	}
}
