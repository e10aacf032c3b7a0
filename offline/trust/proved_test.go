package trust_test

import (
	"testing"
	"time"

	"tcode/offline/trust"
)

// TestProved: a proof lowers some dates and leaves others, and a store keeps both.
func TestProved(t *testing.T) {
	t.Parallel()
	const tolerance = trust.ClockTolerance
	tests := []struct {
		name    string
		proof   time.Time
		floor   time.Time
		lowered bool
		dated   bool
	}{
		{"later than all", day0.Add(day), day0, false, true},
		{"the same moment", day0, day0, false, true},
		{"clocks that differ by little", day0.Add(-tolerance), day0, false, true},
		{"a clock that ran ahead", day0.Add(-tolerance - 1), day0.Add(-tolerance - 1), true, false},
		{"long ahead", day0.Add(-400 * day), day0.Add(-400 * day), true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			before := r.device()
			got, lowered := before.Proved(tt.proof)
			if lowered != tt.lowered || !got.Floor.Equal(tt.floor) || got.Dated() != tt.dated {
				t.Errorf("floor %v, lowered %v, dated %v; want %v, %v, %v", got.Floor, lowered, got.Dated(), tt.floor, tt.lowered, tt.dated)
			}
			if !before.Floor.Equal(day0) || !before.Dated() {
				t.Errorf("the receiver changed: floor %v", before.Floor)
			}
			if again, lowered := got.Proved(tt.proof); lowered || again.Floor != got.Floor || again.Ahead != got.Ahead {
				t.Errorf("a second time: floor %v, lowered %v", again.Floor, lowered)
			}
			saved := got.Save()
			saved.Floor = saved.Floor.Truncate(time.Second) // as a store saves it
			loaded, err := trust.Load(saved)
			if err != nil || loaded.Dated() != got.Dated() || !loaded.Floor.Equal(saved.Floor) {
				t.Errorf("stored: floor %v, dated %v, %v", loaded.Floor, loaded.Dated(), err)
			}
		})
	}
	if s, lowered := (trust.State{}).Proved(day0); lowered || s.Dated() {
		t.Error("an empty state was lowered")
	}
}

// TestAheadDoesNotReturn: a marked timestamp raises no floor when it comes
// again; the next one, with a higher version and a lower date, counts.
func TestAheadDoesNotReturn(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.timestamp.StatusAsOf, r.timestamp.Expires = day0.Add(400*day), day0.Add(401*day)
	r.publish()
	s, lowered := r.device().Proved(day0)
	if !lowered {
		t.Fatal("nothing lowered")
	}
	s, _, err := s.Apply(r.update()) // a replay
	if err != nil || !s.Floor.Equal(day0) || s.Dated() {
		t.Errorf("the same again: floor %v, dated %v, %v", s.Floor, s.Dated(), err)
	}
	r.timestamp.StatusAsOf, r.timestamp.Expires = day0.Add(time.Hour), day0.Add(day)
	r.bump()
	s, _, err = s.Apply(r.update())
	if err != nil || !s.Floor.Equal(r.timestamp.StatusAsOf) || !s.Dated() {
		t.Errorf("the next: floor %v, dated %v, %v", s.Floor, s.Dated(), err)
	}
	if s.Ahead == 0 {
		t.Error("the mark is gone")
	}
	r.rotateOnline("online-2")
	if s, _, err = s.Apply(trust.Update{Roots: r.roots}); err != nil || s.Ahead != 0 {
		t.Errorf("under another online key: ahead %d, %v", s.Ahead, err)
	}
}
